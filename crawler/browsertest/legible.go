package browsertest

import "fmt"

// Faint lists the texts that do not stand out from what is behind them: WCAG 2 asks
// for a contrast of 4.5, but of what cannot be used. Each is its contrast and the
// beginning of its markup.
func (b *Tab) Faint() []string {
	b.t.Helper()
	return Eval[[]string](b, faint)
}

const faint = `(() => {
	const parts = c => c.match(/[\d.]+/g).map(Number);
	const light = c => { const [r, g, b] = parts(c).slice(0, 3).map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b; };
	const behind = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if ((parts(c)[3] ?? 1) === 1) return c; } return "rgb(0, 255, 0)"; };
	const faint = [];
	for (const e of document.querySelectorAll("body *")) {
		if (!e.checkVisibility() || e.disabled || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
		const style = getComputedStyle(e), [a, b] = [light(e instanceof SVGElement ? style.fill : style.color), light(behind(e))];
		const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
		if (ratio < 4.5) faint.push(ratio.toFixed(2) + " " + e.outerHTML.slice(0, 120));
	}
	return faint;
})()`

// Clipped lists the labels of charts that do not fit into them, by their text: what is
// outside an SVG element is not drawn.
func (b *Tab) Clipped() []string {
	b.t.Helper()
	return Eval[[]string](b, `[...document.querySelectorAll("svg text")].filter(e => {
		const label = e.getBoundingClientRect(), chart = e.ownerSVGElement.getBoundingClientRect();
		return e.checkVisibility() && label.width > 0 && (label.top < chart.top - .5 || label.bottom > chart.bottom + .5 || label.left < chart.left - .5 || label.right > chart.right + .5);
	}).map(e => e.textContent)`)
}

// Wide lists what goes beyond the screen of a phone, by the beginning of its markup,
// and the page itself if it can be moved sideways. The heads of tables do not count:
// there each cell says what it is.
func (b *Tab) Wide() []string {
	b.t.Helper()
	wide := Eval[[]string](b, fmt.Sprintf(`[...document.querySelectorAll("body *")]
		.filter(e => e.getBoundingClientRect().right > %d.5 && e.checkVisibility() && !e.closest("thead"))
		.map(e => e.outerHTML.slice(0, 200))`, PhoneWidth))
	if width := Eval[int](b, `document.documentElement.scrollWidth`); width > PhoneWidth {
		wide = append(wide, fmt.Sprintf("the page, with %d pixels", width))
	}
	return wide
}
