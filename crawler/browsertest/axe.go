package browsertest

import (
	"os"
	"path/filepath"
)

// axe is the path of axe-core from a package below this one.
var axe = filepath.Join("..", "testdata", "axe", "node_modules", "axe-core", "axe.min.js")

// LoadAxe loads axe-core, which checks accessibility, into the page. Without axe-core the test is
// skipped, but it fails if the environment variable CI is set.
func (b *Tab) LoadAxe() {
	b.t.Helper()
	script, err := os.ReadFile(axe)
	if err != nil {
		Missing(b.t, "axe-core is not installed; run make axe")
	}
	Eval[string](b, string(script)+`; axe.version`)
}

// Violations returns what axe-core finds in the visible part of the page: the rule, what it wants,
// and the beginning of the first element's markup.
func (b *Tab) Violations() []string {
	b.t.Helper()
	Eval[int](b, `delete window.violations, axe.run().then(r => {
		window.violations = r.violations.map(v => v.id + ": " + v.help + ": " + v.nodes.length + " x " + v.nodes[0].html.slice(0, 200));
	}, e => { window.violations = [String(e)]; }), 1`)
	b.Wait("axe-core has run", `window.violations !== undefined`)
	return Eval[[]string](b, `window.violations`)
}
