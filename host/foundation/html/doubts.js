// What stands on top of a page: figures in large, and what to doubt.

/// A figure and what it is.
function tile(value, label) {
  return html("div", {class: "tile"}, html("b", {}, value), html("span", {}, label));
}

/// {words, remedy, serious, accepted, id}, serious ones that are open with a sign.
function doubtItem(doubt) {
  const mark = doubt.serious ? (doubt.accepted ? "✓" : "▲") : "•";
  const title = doubt.serious ? (doubt.accepted ? "serious, accepted" : "serious") : "to know";
  return html(
      "li", {class: doubt.serious && !doubt.accepted ? "serious" : null},
      html("span", {class: "mark", title}, mark), doubt.words, doubt.remedy ? " " : null,
      doubt.remedy ? html("i", {}, doubt.remedy) : null, " ", html("code", {class: "hint"}, doubt.id));
}

function doubtList(doubts) { return html("ul", {class: "doubts"}, doubts.map(doubtItem)); }
