"""Closed classes of English words, and small open ones, that tell what a pronoun stands for."""

from __future__ import annotations


def word_set(words: str) -> frozenset[str]:
    return frozenset(words.split())


DETERMINERS = word_set(
    "a an the this these those my your our their its some any no each every another such what "
    "which whose both either neither"
)
PRONOUNS = word_set(
    "i you he she it we they me him us them mine yours ours theirs hers who whom someone anyone "
    "everyone somebody anybody everybody something anything everything nothing nobody myself "
    "yourself himself herself itself ourselves themselves themself one"
)
POSSESSIVES = word_set("my your our their its his her whose")
PREPOSITIONS = word_set(
    "of in on at by for with from to into onto about after before during through over under "
    "between among against without within around across behind beyond near toward towards until "
    "till since despite except upon off up down out along besides beside below above via per "
    "throughout regarding concerning amid amidst unlike than as like inside outside past"
)
CONJUNCTIONS = word_set(
    "and or but nor yet so because if when while whenever where wherever although though unless "
    "whereas whether that than as once cause cuz bc coz"
)
AUXILIARIES = word_set(
    "am is are was were be been being do does did has have had can could will would shall should "
    "may might must ought 's 're 've 'd 'll 'm ca wo n't ain't cannot"
)
MODALS = word_set("can could will would shall should may might must ca wo cannot 'll gonna")
BE = word_set("am is are was were be been being 's 're 'm")
WH = word_set("who whom whose which what when where why how")

# After "her" none of these can be the word that it belongs to.
NEVER_OWNED = (
    (DETERMINERS - word_set("such no each every both"))
    | (PRONOUNS - word_set("one"))
    | word_set("his her")
    | WH
    | word_set("whatever whichever whoever wherever")
    | (PREPOSITIONS - word_set("past like inside outside up down over off under out above"))
    | (CONJUNCTIONS - word_set("once yet so like"))
    | (AUXILIARIES - word_set("will being can might may must ca wo having"))
    | word_set(
        "not there here too also either anyway anymore alone again away already yesterday today "
        "tonight tomorrow together apart aside afterwards afterward everywhere anywhere somewhere "
        "just even instead forever please maybe perhaps however therefore always though never "
        "accordingly anytime sometimes somehow etc ever afar abroad upstairs downstairs twice "
        "goodbye goodnight offstage onstage ashore overboard outright further altogether alike lol "
        "haha lmao rn ok okay btw tbh thanks then-and"
    )
)
ADVERBS = word_set(
    "late together outside inside upstairs very so too quite rather pretty really just only even "
    "still already always never often sometimes usually rarely seldom ever once twice soon now "
    "then there here today tonight also not n't almost nearly hardly barely simply perhaps maybe "
    "again instead therefore however otherwise thus hence back well hard fast long far later "
    "early yet both either all each probably definitely certainly obviously currently recently "
    "finally suddenly quickly slowly carefully actually clearly truly merely kindly literally "
    "basically likely secretly first more less most least much indeed mostly generally"
)
NOT_ADVERBS_IN_LY = word_set(
    "family only reply supply apply rely assembly anomaly bully belly fly jelly ally lily july "
    "italy ugly lovely lonely friendly early elderly daily weekly monthly yearly silly holy "
    "costly lively likely deadly ghostly worldly womanly manly motherly fatherly sisterly "
    "brotherly homely curly bubbly cuddly jolly hilly chilly smelly wooly woolly oily tally "
    "rally folly melancholy monopoly butterfly ply sly multiply comply imply heavenly scholarly "
    "orderly princely queenly saintly unlikely unfriendly ungodly godly measly nightly hourly "
    "timely untimely leisurely burly surly portly comely doily gully trolley dolly holly molly "
    "polly billy sally kelly emily lilly nelly willy"
)
TIMES = word_set(
    "night week month year day morning afternoon evening time summer winter spring autumn fall "
    "weekend monday tuesday wednesday thursday friday saturday sunday semester january february "
    "march april may june july august september october november december minute second hour "
    "season christmas easter birthday weeknight once decade century term quarter moment "
    "thursdays fridays mondays tuesdays wednesdays saturdays sundays days weeks months years "
    "nights mornings hours minutes times halloween thanksgiving step"
)
NUMBERS = word_set(
    "two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty "
    "seventy eighty ninety hundred thousand million several many few"
)

# Verbs that may have two objects ("gave her flowers").
TWO_OBJECTS = word_set(
    "give gives gave given giving tell tells told telling send sends sent sending show shows "
    "showed shown showing teach teaches taught teaching offer offers offered offering buy buys "
    "bought buying bring brings brought bringing get gets got gotten getting lend lends lent "
    "lending hand hands handed handing owe owes owed owing wish wishes wished wishing cost costs "
    "promise promises promised promising serve serves served serving pass passes passed passing "
    "feed feeds fed feeding grant grants granted granting award awards awarded awarding deny "
    "denies denied denying allow allows allowed allowing pay pays paid paying earn earns earned "
    "earning win wins won make makes made making cook cooks cooked cooking fetch fetched pour "
    "poured text texted texting mail mailed email emailed loan loaned throw threw bake baked "
    "spare spared guarantee guaranteed assign assigned gift gifted gifting sell sold sells "
    "selling reserve reserved order ordered ask asks asked asking call calls called calling name "
    "named provide provided wire wired cause causes caused afford afforded affords draw drew "
    "charge charges charged refuse refuses refused take takes took taken set sets fine fined bet "
    "slip slipped toss tossed write wrote writing read reading sing sang"
)
# Things that are given rather than owned, when they stand bare after such a verb.
GIFTS = word_set(
    "flowers lingerie money advice food water chocolates chocolate candy time space permission "
    "medicine medication directions support hope comfort strength credit access presents gifts "
    "toys books lunch dinner breakfast roses instructions information info news help feedback "
    "lessons compliments encouragement attention affection candies sweets treats drinks cookies "
    "cash treatment tickets points pleasure joy pain trouble grief bread milk coffee tea wine "
    "beer soup proof evidence power confidence courage reasons cpr aid shelter stuff things "
    "bonuses kisses hugs jewelry jewellery lies jokes stories nightmares butterflies pause cause "
    "goosebumps chills orders english french spanish math maths piano photos pictures messages "
    "texts emails peace reassurance diamonds pearls pills antibiotics insulin oxygen morphine "
    "trust nothing everything respect love details updates compensation thousands hundreds "
    "millions millionaire queen options ideas opportunities choices suggestions tips happiness "
    "luck success congratulations goodbye goodnight hello hi happy merry names questions anxiety "
    "distress discomfort harm relief pizza pancakes cake ice cream steak groceries maternity "
    "bail rent child alimony damages immunity asylum citizenship custody entry secrets bedtime "
    "mail letters postcards invitations reminders links screenshots homework gas freedom "
    "autonomy closure clarity purpose meaning life"
) - word_set("life child love respect trust homework meaning purpose happy names letters mail")
GIVING = word_set(
    "give gives gave given giving offer offers offered offering lend lends lent lending grant "
    "grants granted granting deny denies denied denying owe owes owed owing cost costs promise "
    "promises promised promising wish wishes wished feed feeds fed feeding refuse refuses "
    "refused"
)
# Verbs after which "her" and a bare verb or an -ing form stand ("saw her dance", "let her go").
CAUSATIVES = word_set(
    "make makes made making let lets letting help helps helped helping have had has having bid "
    "bids see sees saw seen seeing hear hears heard hearing watch watches watched watching feel "
    "feels felt feeling notice notices noticed noticing bidding dare observe observed"
)
PERCEIVING = word_set(
    "see sees saw seen seeing hear hears heard hearing watch watches watched watching feel feels "
    "felt notice notices noticed noticing catch catches caught catching find finds found finding "
    "keep keeps kept keeping leave leaves left leaving spot spots spotted picture pictured "
    "imagine imagined photograph photographed remember stop stops stopped got get sent send "
    "sends set sets had have start started show shows showed shown observe observed film filmed "
    "record recorded with want wants wanted picturing imagining like dreaming depict depicts "
    "depicted depicting portray portrays portrayed describe describes witnessed witness "
    "describing envision visualize discover discovered glimpse glimpsed spy overhear overheard "
    "smell tolerate risk risks prevent prevents prevented"
)
BASE_VERBS = word_set(
    "capture commit remove restore bait pee banish shave ring imitate justify train twist bloom "
    "obtain finance solve defeat locate impersonate convince persuade apologize behave go come "
    "know feel think understand cry laugh smile sleep walk run dance sing talk speak eat drink "
    "work play learn grow move leave stay live die kill stop start begin wait sit stand fall see "
    "look watch hear listen say tell ask answer call give take get keep make do have be become "
    "find lose win buy sell pay bring send read write draw paint drive ride fly swim climb jump "
    "fight hide hold carry pull push open close turn drop pick put set cut wear try use need "
    "want like love hate believe remember forget realize decide choose change improve succeed "
    "fail achieve develop create build fix clean cook prepare plan study practice focus relax "
    "rest recover heal cope deal process handle manage navigate express explain describe share "
    "show teach explore discover experience enjoy regain reach gain connect communicate return "
    "rise escape survive join meet marry kiss hug touch visit help support save protect reflect "
    "appear seem sound act perform compete lead follow pass finish continue identify consider "
    "address overcome overthink suffer scream shout whisper blush weep sneeze cough snore "
    "breathe swallow vomit faint shiver tremble shake stumble trip slip lie cheat steal beg pray "
    "hope wish dream wonder worry stress unwind calm cool pretend pack unpack load drown burn "
    "bleed break bend bow crawl approach arrive enter exit vanish disappear respond reply react "
    "adjust adapt settle sign apply graduate retire quit resign advance excel shine thrive stick "
    "strengthen maintain avoid reduce increase assess evaluate determine establish figure "
    "resolve face accept admit deny agree disagree refuse earn spend invest wake dress bathe "
    "shower shop gather collect celebrate bake wash brush feed pet chew spit tie zip button "
    "undress strip beat hit punch kick slap throw catch toss serve score shoot aim target stare "
    "gaze glance peek peer nod wave point wink frown giggle grin sigh gasp groan moan yell "
    "holler babble mumble stutter hum whistle clap march skip hop leap spin twirl wander roam "
    "travel commute ship starve wiggle squirm crumble activate participate operate borrow "
    "rebuild ruin realise recognise recognize ponder contemplate consult seek attain acquire "
    "research practise master attract impress entertain amuse please satisfy forgive trust "
    "respect question challenge defend cross swear promise lower raise lift"
)
# After a perceiving or a causing verb these are nouns first: "saw her face", "felt her love".
NOUNS_FIRST = word_set(
    "love face change support address process focus experience work practice plan study hope "
    "wish dream worry stress help touch point target figure trust respect question challenge "
    "research master score pet shower button dress share use need like fight ride drive kiss hug "
    "answer call look smile laugh cry voice sound return rest cut drop paint act lead pass fall "
    "turn place cross load ship cough trip lie hit kick slap stare gaze promise sign shop burn "
    "break bow approach reply nod wave wink frown grin sigh gasp groan moan yell march skip walk "
    "run dance talk drink play sleep move stand start stop show visit save win meet watch travel "
    "push pull hold stick hide feed swim catch throw aim"
)
ADJECTIVES = word_set(
    "sterile unfit bedridden ugly nuts handsome unreadable redhanded paralyzed paralysed happy "
    "sad angry mad upset sick ill tired crazy nervous anxious afraid scared uncomfortable "
    "comfortable safe alive dead awake asleep alone lonely free busy ready famous rich poor "
    "jealous proud ashamed guilty responsible accountable pregnant attractive beautiful pretty "
    "interesting funny annoying smart strong stronger weak better worse best great good bad "
    "wrong right unhappy unconscious naked drunk sober warm cold hot wet dry clean dirty "
    "eligible available able unable aware unaware likely unlikely unique special different "
    "similar entertained interested happier easy difficult hard impossible possible nice kind "
    "curious hungry thirsty sleepy popular successful vulnerable suitable irresistible healthy "
    "healthier calm close closer near open real true fit laughing stupid dumb useless helpless "
    "hopeless homeless speechless breathless furious miserable emotional suspicious confident "
    "secure insecure independent dependent welcome worthy unworthy fond reckless honest "
    "dishonest careless prisoner gone hurt captive hostage blind deaf mute bald fat thin slim "
    "tall short old young older younger big little small large green blue red pale bankrupt "
    "broke late early excited bored"
)
# Nouns that end in -ing, and so are owned.
ING_NOUNS = word_set(
    "feeling building wedding clothing training earring meaning beginning upbringing reasoning "
    "understanding hearing being ring king string thing spring wing sibling offspring darling "
    "ceiling evening morning parenting schooling handwriting savings winnings belongings "
    "surroundings feelings findings blessing warning opening funding banking housing heading "
    "rating ranking recording setting stocking timing wording well-being wellbeing calling swing "
    "bedding engineering nursing marketing advertising outing healing undoing longing loving "
    "leaning learning mourning crossing lodging dwelling filing fucking damn freaking remaining "
    "existing growing ongoing upcoming aging surviving lasting enduring stunning amazing "
    "outstanding charming glowing flowing sparkling piercing shining striking unwavering "
    "inspiring pioneering groundbreaking captivating following corresponding willing caring "
    "leading trailing winning losing swinging"
)
# Doings: owned as well ("her singing"), but seen and heard ("heard her singing").
DOINGS = word_set(
    "acting bearing biking boxing breathing coming cooking dancing doing drawing driving dying "
    "fishing gardening going hiking hunting laughing leaving living meeting moving painting "
    "playing programming reading riding running sewing shopping singing skating skiing speaking "
    "standing stuttering suffering surfing swimming teaching thinking working wrestling writing"
)
# Adverbs of place and time: "took her home", "call her back", "walked her past".
DIRECTIONS = word_set(
    "back home up down over off out inside outside under above past right close first"
)
MOVING = word_set(
    "take takes took taken taking drive drives drove driven driving bring brings brought "
    "bringing walk walks walked walking send sends sent sending follow follows followed "
    "following escort escorted carry carries carried invite invites invited inviting call calls "
    "called calling text texted texting come came get gets got getting pull pulled push pushed "
    "hold holds held serve serves served want wants wanted love loved loves kiss kissed kicked "
    "kick put puts let lets turn turned move moved lead led lift lifted break broke broken help "
    "helped rush rushed fly flew see saw pay pays paid write wrote win won give gave welcome "
    "welcomed welcoming keep kept drag dragged knock need needs needed needing catch catches "
    "caught set sets knocked cheer cheered pick picked drop dropped throw threw ask asked asking"
)
# What a body or a house has: "hurt her back", "left her home", "broke her right arm".
HURTING = word_set(
    "hurt hurts hurting injure injured break broke broken scratch scratched arch arched turn rub "
    "rubbed stretch stretched massage massaged pat patted strain strained washed wash"
)
# Nouns that belong to somebody even after "give", "tell", "ask", "make".
RELATIVES = word_set(
    "mother father mom mum mommy dad daddy parents parent sister sisters brother brothers son "
    "sons daughter daughters child children kid kids baby babies husband wife spouse partner "
    "boyfriend girlfriend fiance fiancee friend friends family aunt uncle cousin cousins grandma "
    "grandpa grandmother grandfather grandparents boss coworker coworkers colleague colleagues "
    "teacher teachers doctor lawyer neighbor neighbors roommate classmates students employees "
    "clients fans followers hand hands arm arms head heart hair face eyes eye body mind life "
    "soul back name age number phone keys homework job work way attention story opinion thoughts "
    "views own best first new favorite favourite old decision decisions living debut bed mark "
    "point case move home mistakes mistake choices appearance presence intentions feelings "
    "speech rights"
)

# Posts that one is made or elected to: "elected her president".
POSTS = word_set(
    "president captain queen king chair chairwoman chairman chairperson ceo director head leader "
    "manager editor treasurer secretary mayor chief champion valedictorian empress emperor heir "
    "goalkeeper speaker ambassador delegate deputy dean guardian godmother godfather sheriff "
    "minister chancellor governor princess prince employee winner mvp"
)
ELECTING = word_set(
    "elect elects elected appoint appoints appointed make makes made making name named crown "
    "crowned vote voted declare declared proclaim proclaimed nominate nominated call calls "
    "called calling designate designated"
)
# Verb forms that are no noun: "a friend of his knew", "the letter from her arrived".
FINITE = word_set(
    "stands smiled laughed cried gasped looked knew came comes said says went goes took began "
    "begins seems became becomes gave gives told made makes found finds saw thought thinks kept "
    "brought wrote spoke broke chose drove ate fell flew forgot grew held lost met paid ran runs "
    "sang sat sent slept stood taught won wore wants arrived arrives happened happens appeared "
    "appears existed exists remained remains died dies lives lived stayed stays reached reaches "
    "exist deserve deserves gets get lay asked agreed agrees believe believes belong belongs "
    "belonged tend tends know come seem appear remain live tell want need keep keeps barks works "
    "helped helps worked writes sings plays"
)

CLOSED_CLASSES = DETERMINERS | PRONOUNS | POSSESSIVES | PREPOSITIONS | CONJUNCTIONS | AUXILIARIES
"""Words of which there are few kinds and no new ones."""
