package logging

import (
	"bytes"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/politecrawl/politecrawl/cmd/politecrawl/internal/cli"
)

// A named is a value that says what it is.
type named string

func (n named) String() string { return "named " + string(n) }

// TestLogAttributes holds how values are written.
func TestLogAttributes(t *testing.T) {
	say := func(format string) string {
		var out bytes.Buffer
		log, end, err := (&Config{Format: format, Level: "info"}).Open(&cli.Streams{Err: &out})
		if err != nil {
			t.Fatal(err)
		}
		log.Debug("not to be seen")
		log.Info("at http://a:hunter2@h/", "duration", 1500*time.Millisecond, "error", errors.New("http://a:hunter2@h/: EOF"), "none", error(nil),
			"next", time.Time{}, "list", []string{"http://a:hunter2@h/"}, "plain", []string{"a", "b"}, "what", named("http://a:hunter2@h/"),
			"Cookie", "hunter2", "Authorization", []string{"hunter2"}, "token", 1234, slog.Group("header", "Set-Cookie", "hunter2"))
		end()
		return out.String()
	}
	_, text, _ := strings.Cut(say(Text), " ") // the time
	want := `level=INFO msg="at http://***@h/" duration=1.5s error="http://***@h/: EOF" list=[http://***@h/] plain="[a b]" what="named http://***@h/" ` +
		"Cookie=*** Authorization=*** token=*** header.Set-Cookie=***\n"
	if text != want {
		t.Errorf("text\n%swant\n%s", text, want)
	}
	var line map[string]any
	if err := json.Unmarshal([]byte(say(JSON)), &line); err != nil {
		t.Fatal(err)
	}
	delete(line, "time")
	if diff := cmp.Diff(map[string]any{
		"level": "INFO", "msg": "at http://***@h/", "duration_ms": 1500.0, "error": "http://***@h/: EOF", "list": "[http://***@h/]", "plain": []any{"a", "b"},
		"what": "named http://***@h/", "Cookie": "***", "Authorization": "***", "token": "***", "header": map[string]any{"Set-Cookie": "***"},
	}, line); diff != "" {
		t.Error(diff)
	}
}
