package browsertest

import "fmt"

// LowContrast returns the texts with a contrast below 4.5 to the background, the minimum of
// WCAG 2, except in disabled elements. Each result is the contrast and the beginning of the
// element's markup.
func (b *Tab) LowContrast() []string {
	b.t.Helper()
	return Eval[[]string](b, lowContrast)
}

const lowContrast = `(() => {
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

// ClippedLabels returns the texts of chart labels that extend beyond their SVG element, which
// clips them.
func (b *Tab) ClippedLabels() []string {
	b.t.Helper()
	return Eval[[]string](b, `[...document.querySelectorAll("svg text")].filter(e => {
		const label = e.getBoundingClientRect(), chart = e.ownerSVGElement.getBoundingClientRect();
		return e.checkVisibility() && label.width > 0 && (label.top < chart.top - .5 || label.bottom > chart.bottom + .5 || label.left < chart.left - .5 || label.right > chart.right + .5);
	}).map(e => e.textContent)`)
}

// Overflowing returns the beginning of the markup of each visible element that extends beyond
// [PhoneWidth], and a text about the page itself if it scrolls horizontally. It ignores table
// heads, since each cell has a label on a phone.
func (b *Tab) Overflowing() []string {
	b.t.Helper()
	wide := Eval[[]string](b, fmt.Sprintf(`[...document.querySelectorAll("body *")]
		.filter(e => e.getBoundingClientRect().right > %d.5 && e.checkVisibility() && !e.closest("thead"))
		.map(e => e.outerHTML.slice(0, 200))`, PhoneWidth))
	if width := Eval[int](b, `document.documentElement.scrollWidth`); width > PhoneWidth {
		wide = append(wide, fmt.Sprintf("the page is %d pixels wide", width))
	}
	return wide
}
