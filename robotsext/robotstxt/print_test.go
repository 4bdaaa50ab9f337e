package robotstxt

import (
	"strings"
	"testing"
)

// TestPrintNearLimit shows that what is printed may need more room than the body
// did, and that it means the same where it has it.
func TestPrintNearLimit(t *testing.T) {
	body := []byte("user-agent:*\n" + strings.Repeat("allow:/y\n", 56000) + "disallow:/x\n")
	before := Parse(body, nil)
	printed := before.String()
	if before.Truncated || len(printed) <= DefaultMaxBytes {
		t.Fatalf("%d bytes printed as %d: no case", len(body), len(printed))
	}
	t.Run("ROB-FMT-14/printed and cut", func(t *testing.T) {
		if !Parse([]byte(printed), nil).Truncated {
			t.Error("the printed file was not cut")
		}
	})
	t.Run("ROB-FMT-14/printed and whole", func(t *testing.T) {
		after := Parse([]byte(printed), &Options{MaxBytes: len(printed)})
		if after.Truncated || meaning(before) != meaning(after) {
			t.Error("it means something else")
		}
	})
}
