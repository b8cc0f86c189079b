"""What customers of the demo ask about, and what there is to say about it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """One matter.

    sign: words, separated by spaces, that only prompts about it hold. issues: templates in the
    words of a person. steps, tips: sentences of an answer.
    """

    sign: str
    issues: Sequence[str]
    steps: Sequence[str]
    tips: Sequence[str]


TOPICS: Final[Sequence[Topic]] = (
    Topic(
        sign="password locked login",
        issues=(
            "{who} forgot {poss} password and could not get back in.",
            "{who} got locked out of {poss} account after the update.",
            "{who} tried the login page five times and it refused {obj}.",
        ),
        steps=(
            "Open the login page and choose the link below the form.",
            "Enter the e-mail address of the account and wait for the message.",
            "Look in the spam folder if nothing has arrived after five minutes.",
            "Pick a new phrase of at least twelve characters that is used nowhere else.",
            "Sign in on the computer first and on the phone afterwards.",
            "If the account stays closed, the service desk can open it within an hour.",
        ),
        tips=(
            "A password manager makes this much easier the next time.",
            "Two-factor codes on the phone keep strangers out even if a phrase leaks.",
        ),
    ),
    Topic(
        sign="parcel delivery courier",
        issues=(
            "{who} waited all week for a parcel that never came.",
            "{who} missed the courier twice and found no note from them.",
            "{who} asked for delivery to a neighbour and the box went elsewhere.",
        ),
        steps=(
            "Check the tracking page, which is updated every two hours.",
            "Ask at the pick-up shop on the corner, where many boxes are left.",
            "Choose a new day and a time slot on the same page.",
            "Report the box as missing once seven days have passed.",
            "The sender then opens a search that takes three working days.",
            "If nothing is found, the full value is paid back.",
        ),
        tips=(
            "A pick-up locker is open day and night and costs nothing extra.",
            "A short note for the driver about the entrance saves a second visit.",
        ),
    ),
    Topic(
        sign="refund returned",
        issues=(
            "{who} returned a pair of shoes three weeks ago and saw no money.",
            "{who} was promised a refund on the phone and it never reached {obj}.",
            "{who} returned the jacket, but the shop wrote to {obj} that it was worn.",
        ),
        steps=(
            "Money goes back the way it was paid, usually within ten days.",
            "Have the return slip ready, because it carries the number we need.",
            "Send a photo of the slip through the form on the returns page.",
            "The accounts team answers within two working days.",
            "If the bank rejected the payment, a second one is sent at once.",
            "A decision about wear can be looked at again by a second person.",
        ),
        tips=(
            "Keeping the slip until the money is there avoids most trouble.",
            "A return in the shop itself is settled on the spot.",
        ),
    ),
    Topic(
        sign="router internet wifi",
        issues=(
            "{who} lost the internet connection every evening around eight.",
            "{who} moved the router upstairs and now nothing reaches the kitchen.",
            "{who} could not get the new wifi to work on {poss} laptop.",
        ),
        steps=(
            "Unplug the box, count to thirty and plug it in again.",
            "Wait until the light in the middle stays green.",
            "Put the box in the open, away from the microwave and thick walls.",
            "Change the channel in the settings to one the neighbours do not use.",
            "Forget the network on the device and join it again.",
            "A technician can measure the line from here without a visit.",
        ),
        tips=(
            "A small repeater in the hallway reaches the far rooms.",
            "A cable to the desk is still the steadiest choice for work.",
        ),
    ),
    Topic(
        sign="subscription cancel renewal",
        issues=(
            "{who} wanted to cancel {poss} subscription before the next month.",
            "{who} was charged for a renewal that {subj} never agreed to.",
            "{who} looked everywhere for the page to cancel and gave up.",
        ),
        steps=(
            "The switch is under the profile picture, in the part about plans.",
            "Confirm the choice in the e-mail that follows.",
            "Access stays until the last day that was paid for.",
            "A charge of the last fourteen days can be taken back in full.",
            "Write to billing with the date and the amount.",
            "The confirmation arrives within a day and should be kept.",
        ),
        tips=(
            "Pausing for three months is possible and keeps all saved lists.",
            "A reminder two days before each charge can be switched on.",
        ),
    ),
    Topic(
        sign="invoice billed",
        issues=(
            "{who} received an invoice with a sum that {subj} did not understand.",
            "{who} was billed twice for the same repair.",
            "{who} needed the invoice in {poss} own company name.",
        ),
        steps=(
            "The second page lists every item with its date.",
            "Compare the customer number at the top with the contract.",
            "A double entry is removed as soon as both numbers are known.",
            "A corrected copy is made within three days and replaces the first.",
            "The due date moves while the question is open.",
            "Payment in three parts can be arranged without any fee.",
        ),
        tips=(
            "Invoices by e-mail arrive earlier and are easier to find again.",
            "The online archive holds all papers of the past ten years.",
        ),
    ),
    Topic(
        sign="appointment clinic doctor",
        issues=(
            "{who} needed an earlier appointment because of a bad back.",
            "{who} missed {poss} appointment at the clinic after the bus broke down.",
            "{who} asked the doctor for a letter and heard nothing since.",
        ),
        steps=(
            "New slots are released each morning at seven.",
            "The waiting list calls in the order of need, so please describe the pain.",
            "A missed visit can be moved once without a charge.",
            "Letters are ready at the desk after two working days.",
            "Bring the insurance card and a list of all medicines.",
            "If it gets worse at night, the emergency line is always open.",
        ),
        tips=(
            "A video call is often possible on the same day.",
            "A gentle walk every few hours usually helps more than lying down.",
        ),
    ),
    Topic(
        sign="loan mortgage",
        issues=(
            "{who} applied for a loan and was asked for more papers.",
            "{who} wished to know whether {subj} could pay off the mortgage early.",
            "{who} was refused a loan and nobody told {obj} why.",
        ),
        steps=(
            "The last three pay slips and a bank statement are needed.",
            "Early payment is possible once a year, up to a tenth of the sum.",
            "Every refusal comes with a letter that names the reason.",
            "A mistake in the credit file can be corrected free of charge.",
            "An adviser can go through the figures in half an hour.",
            "A second application after three months does no harm.",
        ),
        tips=(
            "Paying one standing order less each month often changes the answer.",
            "A fixed rate makes the coming years easier to plan.",
        ),
    ),
    Topic(
        sign="screen phone repair",
        issues=(
            "{who} dropped {poss} phone and the screen went dark.",
            "{who} sent a phone in for repair and got it back with the same fault.",
            "{who} asked what a new screen would cost {obj}.",
        ),
        steps=(
            "Hold the two lower buttons for fifteen seconds to start it again.",
            "Save photos and contacts before it leaves the house.",
            "Glass and display are replaced together within two days.",
            "The price is fixed and shown before any work begins.",
            "A second try of the same fault costs nothing for six months.",
            "A spare device is lent out while the work is done.",
        ),
        tips=(
            "A simple rubber case prevents most of these accidents.",
            "A copy in the cloud every night means that nothing gets lost.",
        ),
    ),
    Topic(
        sign="training course career",
        issues=(
            "{who} thought about a course in programming next to {poss} job.",
            "{who} asked which training would help {obj} to lead a team.",
            "{who} planned a new career in finance and did not know where to begin.",
        ),
        steps=(
            "Begin with one evening course that ends with a small project.",
            "Six hours a week are enough for the first half year.",
            "Ask two people who do that job what their day looks like.",
            "Show the finished project in an interview, not the certificate.",
            "Many employers pay half of the fee when they are asked.",
            "A mentor who listens is worth more than another book.",
        ),
        tips=(
            "The first weeks are the hardest, and every expert had them too.",
            "Teaching someone else what was learned makes it stay.",
        ),
    ),
    Topic(
        sign="recipe cooking dinner",
        issues=(
            "{who} wanted to cook dinner for ten guests and had only one oven.",
            "{who} searched for a recipe without nuts for {poss} neighbours.",
            "{who} burned the rice while cooking again and laughed about it.",
        ),
        steps=(
            "Choose one dish that can be made the day before.",
            "A stew for ten needs one large pot and three hours of patience.",
            "Rice wants twice its volume of water and a closed lid.",
            "Switch the stove off five minutes early and leave the pot alone.",
            "Roasted seeds bring the crunch that nuts would give.",
            "Set the table first, because nobody minds waiting at a nice table.",
        ),
        tips=(
            "A bowl of olives on the table buys half an hour.",
            "Fresh herbs at the end make a plain dish shine.",
        ),
    ),
    Topic(
        sign="rent landlord flat heating",
        issues=(
            "{who} told the landlord about the broken heating twice.",
            "{who} got a letter that the rent would rise by a fifth.",
            "{who} looked for a flat near {poss} work for months.",
        ),
        steps=(
            "Write down each cold day with the temperature in the room.",
            "Send the report as a letter and keep a copy.",
            "A rise above the limit of the city does not have to be accepted.",
            "The tenants' office checks such a letter for a small fee.",
            "Register with the three housing associations of the district.",
            "Have the pay slips and an identity card ready at every visit.",
        ),
        tips=(
            "Neighbours with the same trouble can sign one letter together.",
            "An early call on Monday morning beats a hundred e-mails.",
        ),
    ),
)
