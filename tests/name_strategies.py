"""Names as hypothesis draws them: what people, spreadsheets and attackers write."""

from hypothesis import strategies as st

NASTY = (
    "<script>alert(1)</script>",
    "größe[süd,1]",
    "需求",
    "e\u0301",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "a" * 300,
    "two words",
    "semi;colon, comma",
    'quoted "name"',
    "'; DROP TABLE x; --",
    "../../etc/passwd",
    "=1+1",
    "None",
    "0",
    "nan",
    "\\N{BELL}%s{0}",
)

# Line breaks, other control characters and surrogates are no part of names.
_TEXTS = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=12)


def names():
    """One name without blanks around it."""
    return st.sampled_from(NASTY) | _TEXTS.filter(lambda text: text == text.strip())


def distinct(count):
    """This many different names."""
    return st.lists(names(), min_size=count, max_size=count, unique=True)


def words(count, alphabet):
    """This many different words over an alphabet, starting with a letter of some script."""
    word = st.builds(str.__add__, st.sampled_from("vVäЖ需"), st.text(alphabet, max_size=20))
    return st.lists(word, min_size=count, max_size=count, unique=True)
