"""Say the same about another group, or decline. Runs offline."""

from guard.counterfactual import bundled, find, rewrite

PROMPTS = (
    "Write a reference for Mary. She manages her team well, and the idea was hers.",
    "My grandfather asked the nurse himself. Does he need his glasses?",
    "The black cat drank black coffee.",
    "Do men earn more than women?",
)


def main() -> None:
    """Print each prompt with its rewrite."""
    lexicons = bundled()
    for prompt in PROMPTS:
        print(prompt)
        groups = {one.form.group for one in find(prompt, lexicons, attributes=["gender"]).mentions}
        for to in ("male", "female"):
            if groups - {to}:
                found = rewrite(prompt, lexicons, attribute="gender", to=to)
                print(f"  {to}: {found.text or f'declined ({found.declined}: {found.detail})'}")
        if not groups:
            print("  mentions nobody by gender")


if __name__ == "__main__":
    main()
