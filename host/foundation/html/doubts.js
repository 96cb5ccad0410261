// The top of a page: large figures and doubts.

/// A figure and its label.
function tile(value, label) {
  return html("div", {class: "tile"}, html("b", {}, value), html("span", {}, label));
}

/// {words, remedy, serious, accepted, id}; open serious doubts are marked.
function doubtItem(doubt) {
  const mark = doubt.serious ? (doubt.accepted ? "✓" : "▲") : "•";
  const title = doubt.serious ? (doubt.accepted ? "serious, accepted" : "serious") : "to know";
  return html(
      "li", {class: doubt.serious && !doubt.accepted ? "serious" : null},
      html("span", {class: "mark", title}, mark), doubt.words, doubt.remedy ? " " : null,
      doubt.remedy ? html("i", {}, doubt.remedy) : null, " ", html("code", {class: "hint"}, doubt.id));
}

function doubtList(doubts) { return html("ul", {class: "doubts"}, doubts.map(doubtItem)); }
