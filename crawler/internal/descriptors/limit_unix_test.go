//go:build unix

package descriptors

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// TestLimit has a process with a limit say it.
func TestLimit(t *testing.T) {
	const env = "TEST_SAY_LIMIT"
	if os.Getenv(env) != "" {
		t.Log("limit", Limit())
		return
	}
	for _, n := range []int{50, 333} {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", "ulimit -n "+strconv.Itoa(n)+` && exec "$0" -test.run=^TestLimit$ -test.v`, os.Args[0])
		cmd.Env = append(os.Environ(), env+"=1")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "limit "+strconv.Itoa(n)+"\n") {
			t.Errorf("with %d: %v: %s", n, err, out)
		}
	}
	if n := Limit(); n < 1 || n > Unlimited {
		t.Errorf("limit %d", n)
	}
}
