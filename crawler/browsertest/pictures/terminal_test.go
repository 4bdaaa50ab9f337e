package pictures

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// A screen is what a terminal shows: lines of what was sent for them.
type screen []string

var (
	// again is how the program draws its view anew: up, and clear to the end.
	again = regexp.MustCompile(`^\x1b\[(\d+)A\x1b\[J`)
	// colouring begins or ends a colour.
	colouring = regexp.MustCompile(`\x1b\[(\d*)m`)
)

// play returns what a terminal showed before each time that the view was drawn anew,
// and in the end.
func play(sent string) (shown []screen, err error) {
	var now screen
	for len(sent) > 0 {
		if m := again.FindStringSubmatch(sent); m != nil {
			n, err := strconv.Atoi(m[1])
			if err != nil || n > len(now) {
				return nil, fmt.Errorf("%q goes above the screen of %d lines", m[0], len(now))
			}
			shown = append(shown, append(screen{}, now...))
			now, sent = now[:len(now)-n], sent[len(m[0]):]
			continue
		}
		var line string
		line, sent, _ = strings.Cut(sent, "\r\n")
		now = append(now, line)
	}
	return append(shown, now), nil
}

// markup is a page that shows a screen as a terminal would, below the command.
func (s screen) markup(command string) string {
	var b strings.Builder
	b.WriteString(terminalHead)
	fmt.Fprintf(&b, "<b class=\"prompt\">$</b> <b>%s</b>\n", html.EscapeString(command))
	for _, line := range s {
		b.WriteString(coloured(line) + "\n")
	}
	b.WriteString("</pre></main>")
	return b.String()
}

// coloured is a line as markup.
func coloured(line string) string {
	var b strings.Builder
	open := false
	end := func() {
		if open {
			b.WriteString("</span>")
		}
		open = false
	}
	at := 0
	for _, m := range colouring.FindAllStringSubmatchIndex(line, -1) {
		b.WriteString(html.EscapeString(line[at:m[0]]))
		at = m[1]
		end()
		if code := line[m[2]:m[3]]; code != "" && code != "0" {
			fmt.Fprintf(&b, `<span class="c%s">`, code)
			open = true
		}
	}
	b.WriteString(html.EscapeString(line[at:]))
	end()
	return b.String()
}

const terminalHead = `<!doctype html><meta charset="utf-8"><title>terminal</title><style>
body { margin: 0; background: #fff; }
main { display: inline-block; min-width: 880px; background: #1b2027; }
main::before { content: "● ● ●"; display: block; padding: 7px 14px; background: #2a313b; color: #566273; font: 12px/1 sans-serif; }
pre { margin: 0; padding: 14px 18px 16px; color: #d9dee5; font: 14px/1.45 "DejaVu Sans Mono", "Liberation Mono", monospace; }
.prompt { color: #7fc8a9; }
.c1 { font-weight: bold; } .c2, .c90 { color: #8b96a5; }
.c31, .c91 { color: #f0837a; } .c32, .c92 { color: #7fc8a9; } .c33, .c93 { color: #e0b45c; }
.c34, .c94 { color: #82b1ea; } .c35, .c95 { color: #c79be0; } .c36, .c96 { color: #7cc4d4; }
</style><main><pre>`

func TestPlay(t *testing.T) {
	shown, err := play("first\r\n\x1b[31ma\x1b[0m <b>\r\nc\r\n\x1b[2A\x1b[Jlog\r\nd\r\n\x1b[1A\x1b[Jend\r\n")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range shown {
		got = append(got, strings.Join(s, "|"))
	}
	if all := strings.Join(got, "; "); all != "first|\x1b[31ma\x1b[0m <b>|c; first|log|d; first|log|end" {
		t.Errorf("%q", all)
	}
	if page := shown[0].markup("x & y"); !strings.Contains(page, "<b>x &amp; y</b>\nfirst\n<span class=\"c31\">a</span> &lt;b&gt;\nc\n") {
		t.Errorf("%s", page)
	}
	if _, err := play("\x1b[1A\x1b[J"); err == nil {
		t.Error("a screen that begins above its top")
	}
}
