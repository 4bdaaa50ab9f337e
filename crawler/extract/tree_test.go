package extract

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

// nodesOf counts the nodes below n.
func nodesOf(n *html.Node) (count int) {
	for range n.Descendants() {
		count++
	}
	return count
}

func render(t *testing.T, n *html.Node) string {
	t.Helper()
	var b strings.Builder
	if err := html.Render(&b, n); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// For well-nested formatting, the tree equals that of the HTML parser.
func TestTree(t *testing.T) {
	for _, page := range []string{
		`<p>a <b>bold <i class="x">word</i></b>, <EM>one</EM ><em>more</em><code
			>x</code></p><p>two`,
		`<title><b>no tag</b></title><script>if (a<b && c>d) "<b>"</script><style>/* <i> */</style><textarea></b> <u></textarea>`,
		`<!-- <b> --><!-- <i --><p title="<b>one</b> <i" data-<b>x</p><b title='<u>'>x</b>`,
		`<table><b>before</b><tr><td><font color=red>x</font><td>y</table><strong><table><td>z</table></strong>`,
		`<svg><style>"b"</style><title>a</title></svg><math><mi><b>x</b></mi></math>`,
		"<p>\ue000 an icon, <b>\ue000</b> bold</p>", `<blink><button><s>x</s></button><nobr>a</nobr><nobr>b</nobr>`,
		`<b>cut`, `<b>cut</`, `<b>cut</b`, `<`, `<b`, ``,
	} {
		want, err := html.ParseWithOptions(strings.NewReader(page), html.ParseOptionEnableScripting(false))
		if err != nil {
			t.Fatal(err)
		}
		got, whole, err := tree(&Document{Text: []byte(page)})
		if err != nil || !whole {
			t.Fatalf("whole: %t, %v", whole, err)
		}
		if diff := cmp.Diff(render(t, want), render(t, got)); diff != "" {
			t.Errorf("tree(%q) (-parser +tree):\n%s", page, diff)
		}
	}
}

// For misnested formatting, no element is opened again.
func TestTreeOpensNothingAgain(t *testing.T) {
	got, _, err := tree(&Document{Text: []byte(`<p><b>one</p><p>two</p>`)})
	if err != nil {
		t.Fatal(err)
	}
	if want := `<html><head></head><body><p><b>one</b></p><p>two</p></body></html>`; render(t, got) != want {
		t.Errorf("%s, want %s", render(t, got), want)
	}
}

// misnested is a page whose tree would have more than fifty times its tags.
func misnested(paragraphs int) []byte {
	var b bytes.Buffer
	b.WriteString("<p>")
	for i := range 480 {
		fmt.Fprintf(&b, "<b id=%d>", i)
	}
	b.WriteString("</p>" + strings.Repeat("<p>x</p>", paragraphs))
	return b.Bytes()
}

func TestTreeOfMisnestedTags(t *testing.T) {
	root, whole, err := tree(&Document{Text: misnested(1000)})
	if err != nil || !whole {
		t.Fatalf("whole: %t, %v", whole, err)
	}
	if n := nodesOf(root); n > 3000 {
		t.Errorf("%d nodes of 2,480 tags", n)
	}
}

// The number of tags in a tree is limited.
func TestFieldsOfTooManyTags(t *testing.T) {
	rules, err := NewRules(map[string]Rule{"title": {Selector: "title"}, "last": {Selector: "h1"}})
	if err != nil {
		t.Fatal(err)
	}
	page := []byte("<title>t</title>" + strings.Repeat("<p>", maxTags+1000) + "<h1>h</h1>")
	got, err := rules.Fields(&Document{Text: page})
	if diff := cmp.Diff(map[string]any{"title": "t"}, got); diff != "" || !errors.Is(err, ErrTooManyTags) {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	root, whole, err := tree(&Document{Text: page})
	if n := nodesOf(root); n > maxTags+10 || whole || err != nil {
		t.Errorf("%d nodes, whole: %t, %v", n, whole, err)
	}
}

// FuzzTree: a tree is not much larger than its page, and has no disguised names left.
func FuzzTree(f *testing.F) {
	f.Add(misnested(20))
	for _, seed := range []string{
		"<b><p></b>x", "<a><div><div><div></a><p>x<a><p>x", "<table><b><td></b></table><b><p></p><p>x", "<svg><style><b id=1></style><p>x<p>y",
		"<select><b><table></select><i><p>x", "<script><!--<script></script><b>--></script>", "<p><B\x00><b\n/><b", "<p</b =x></b",
	} {
		f.Add([]byte(seed))
	}
	for _, seed := range lookPlain {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, page []byte) {
		root, _, err := tree(&Document{Text: page})
		if err != nil {
			return
		}
		if n, tags := nodesOf(root), bytes.Count(page, []byte("<")); n > 10*tags+10 {
			t.Errorf("%d nodes of %d tags", n, tags)
		}
		page = bytes.ReplaceAll(page, []byte("\x00"), nil) // as the parser does: what stands on both sides may be one character then
		if !bytes.Contains(page, []byte(disguise)) && !bytes.Contains(page, []byte("&#")) && strings.Contains(render(t, root), disguise) {
			t.Errorf("something is disguised in %q", render(t, root))
		}
	})
}
