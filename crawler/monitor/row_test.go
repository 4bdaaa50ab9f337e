package monitor

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/crawler/internal/hostiletest"
	"github.com/politecrawl/politecrawl/crawler/output"
)

// Rows have no invisible characters and no characters that change the direction of text.
func TestRowsAreEscaped(t *testing.T) {
	const bad = "\u202e\u009b" + hostiletest.Markup
	rows := []any{
		pageRowOf(&output.Page{URL: bad, Title: bad, Location: bad}, 1),
		pageRowOf(&output.Page{Withheld: bad}, 1),
		pageRowOf(&output.Page{DuplicateOf: bad}, 1),
		rejectionRowOf(&output.Rejection{URL: bad, Reason: output.Reason(bad), Rule: bad, Detail: bad}, 1, time.Now()),
		robotsRowOf(&output.Robots{Origin: bad, Outcome: bad, Error: bad}, "bot"),
		because(500, bad),
	}
	for _, row := range rows {
		text, err := json.Marshal(row)
		if err != nil {
			t.Fatal(err)
		}
		if strings.ContainsAny(string(text), "\u202e\u009b") {
			t.Errorf("%s", text)
		}
	}
}

// An error without details is its name only.
func TestBecause(t *testing.T) {
	for _, tt := range []struct {
		status       int
		detail, want string
	}{{0, "", ""}, {503, "", ": status 503"}, {0, "no answer", ": no answer"}, {503, "busy", ": status 503, busy"}} {
		if got := because(tt.status, tt.detail); got != tt.want {
			t.Errorf("because(%d, %q) = %q, want %q", tt.status, tt.detail, got, tt.want)
		}
	}
}
