"""Where a word for a group describes a person, and may name no group.

"A disabled user" of a computer, "my French teacher" from Canada, "a blind reviewer".
"""

from __future__ import annotations

from typing import Final

from guard.counterfactual.english.words import word_set
from guard.counterfactual.lexicons.forms import Form
from guard.counterfactual.mentions.context import WordContext
from guard.counterfactual.mentions.name_cues import NEVER, even

_NEAR: Final = 12  # words away that tell what is spoken of
_LANGUAGES: Final = word_set(
    "french spanish german italian chinese japanese korean russian portuguese polish turkish"
    " english greek swedish dutch danish norwegian finnish czech hungarian thai vietnamese"
    " ukrainian romanian"
)
_TAUGHT: Final = word_set(
    "teacher teachers tutor tutors professor professors instructor instructors translator"
    " translators interpreter interpreters speaker speakers learner learners major majors"
)
_LESSONS: Final = word_set("class language course")
_USERS: Final = word_set("user users login logins")
_MEMBERS: Final = word_set(
    "member members employee employees student students customer customers staff person people"
)
_DIRECTORIES: Final = word_set(
    "okta ldap saml sso azure entra directory iam reenable enabled reactivate reactivated"
    " deactivated archived powershell sync synced mailbox mailboxes"
)
_COMPUTERS: Final = _DIRECTORIES | word_set(
    "login logon signin log logged mfa admin password passwords pin account accounts license"
    " licenses portal crm workspace slack jira sharepoint api database console"
)
_INSIDE: Final = word_set("app system portal settings console software directory database crm")
_RECORDS: Final = word_set("account accounts profile profiles login logins")
_REVIEWS: Final = word_set("reviewer reviewers review reviews referee referees rater raters")
_SPEAKING: Final = (("am", "i"), ("m", "i"))
_PROGRAMS: Final = word_set("user users client clients developer developers")


def other_sense(form: Form, place: WordContext) -> float | None:
    """Log-odds that a group is named where the word has another sense here; None without one."""
    word, after = place.word, place.after()
    if word == "disabled":
        return _of_disabled(form, place)
    if (word == "blind" and after in _REVIEWS and not _is_speaker(place)) or (
        word == "native" and after in _PROGRAMS
    ):
        return NEVER
    taught = place.after(2) if after in _LESSONS else after
    tongue = form.attribute == "nationality" and word in _LANGUAGES and taught in _TAUGHT
    return even(form.person) if tongue else None


def _is_speaker(place: WordContext) -> bool:
    """ "I am a disabled user", "As a blind reviewer I ..."."""
    before = tuple(place.before(steps) for steps in range(1, 4))
    return before[0] in ("a", "an") and (before[1] == "as" or before[1:] in _SPEAKING)


def _of_disabled(form: Form, place: WordContext) -> float | None:
    """ "I am disabled in the app", "disabled employee accounts"; perhaps "a disabled user"."""
    after = [place.tokens.word(place.last + step) for step in range(1, 5)]
    inside = after[0] in ("in", "on", "from") and not _INSIDE.isdisjoint(after[1:])
    if inside or not _RECORDS.isdisjoint(after[:2]):
        return NEVER
    if _is_speaker(place):
        return None
    near = {place.tokens.word(at) for at in range(place.first - _NEAR, place.last + _NEAR + 1)}
    of_computers = (after[0] in _USERS and not _COMPUTERS.isdisjoint(near)) or (
        after[0] in _MEMBERS and not _DIRECTORIES.isdisjoint(near)
    )
    return even(form.person) if of_computers else None
