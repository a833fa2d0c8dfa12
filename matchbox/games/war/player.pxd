"""The types of Addition War's driver, for the compiled build."""

cpdef answer_brief(object player, bytes brief, object ask)
