"""The rules of English grammar that rewriting needs. They use word lists and look at neighbours.

Three questions are answered here, each by rules in a fixed order; the first that applies
decides.

What is "her"? (`pronouns.role_of_her`) An object ("saw her") or a possessive ("her dog").

1. Fixed phrases: "she/her", "her upside down".
2. A mark or a number that may stand before what is owned, in `marks`: "$50", "{product}", "...";
   pictures, #tags and @handles, in `tags`.
3. The next word, in `pronouns`: a mark, a hyphen, a word that is never owned ("her the", "her
   and"), then one function for each small class of words: "last", directions, "more", "so",
   "every", "will", "now", "being", "best". Each looks one or two words further for a noun that
   is owned.
4. The verb before, in `objects`: saying, wishing ("want her fired"), adverbs in -ly, naming, -ing
   forms, states ("made her happy"), causatives ("let her go"), prepositions, electing, a lone
   adjective, a finite verb, two objects ("gave her flowers").
5. Otherwise it is a possessive.

What is "his"? (`pronouns.role_of_his`) A possessive ("his dog") or a pronoun ("the dog is
his"). The next word decides: no word at all, a hyphen, "own", "and", a finite verb, a modal, a
closed class.

Which verbs change with "she" and "they"? (`agreement.agreeing`) In this order: a clitic
("she's"), a joint subject ("she and Tom are", nothing changes), a verb before the pronoun
("does she"), the finite verb after it, past relative clauses, asides and adverbs. Then the
verbs that "and" or a comma joins to it (`coordination`), up to the next subject or stop; what
follows a modal or "to" stays bare ("might cry and get up"). Where present and past look the same
("they put"), or a verb between may have the next one ("says the bus is late and leaves"), the
change is not sure, and the rewrite is declined.

words      `english()`: the lists of `words.txt`; `adjective`, `nounlike`, `is_english`
pronouns   the roles of "her" and "his"
marks      the same before what is no plain word
objects    whether "her" is the object of the verb before it
doubts     where "her" or "his" may be either of two things: "emailed her coupons"
agreement  which verbs change with a pronoun
coordination the further verbs of the same subject
inflection the forms of verbs, "a" or "an", and capitals

A new rule goes where its question is answered, with an example as its docstring. Cases stand in
`tests/unit/counterfactual/data/roles.tsv` and `grammar.tsv`.
"""
