package heap

import (
	"os"
	"os/exec"
	"runtime"
	"runtime/debug"
	"testing"
)

// heapEnv is set in the processes of TestHeapPolicy: a policy stays until the process ends.
const heapEnv = "HEAP_POLICY_TEST"

func TestHeapPolicy(t *testing.T) {
	if os.Getenv(heapEnv) != "" {
		checkHeapPolicy(t)
		return
	}
	t.Parallel()
	for name, environ := range map[string][]string{
		"by default":      {"GOGC=", "GOMEMLIMIT="},
		"GOGC is kept":    {"GOGC=50", "GOMEMLIMIT="},
		"limit is kept":   {"GOGC=", "GOMEMLIMIT=300MiB"},
		"no limit either": {"GOGC=", "GOMEMLIMIT=off"},
	} {
		cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestHeapPolicy$")
		cmd.Env = append(append(os.Environ(), heapEnv+"=1"), environ...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v:\n%s", name, err, out)
		}
	}
}

func checkHeapPolicy(t *testing.T) {
	limit := func() int64 { return debug.SetMemoryLimit(-1) }
	before := limit()
	Limit()
	percent := debug.SetGCPercent(100)
	debug.SetGCPercent(percent)
	switch {
	case os.Getenv("GOGC") != "":
		if percent != 50 || limit() != before {
			t.Errorf("GOGC is %d, the limit %d", percent, limit())
		}
		return
	case percent != gcPercent:
		t.Errorf("GOGC is %d", percent)
	}
	if os.Getenv("GOMEMLIMIT") != "" {
		runtime.GC()
		if limit() != before {
			t.Errorf("the limit is %d instead of %d", limit(), before)
		}
		return
	}
	if limit() != minMemory {
		t.Errorf("at first the limit is %d", limit())
	}
	const size = 100 << 20
	block := make([]byte, size)
	if !collectUntil(func() bool { return limit() >= 2*size && limit() < 3*size }) {
		t.Errorf("with %d bytes in use the limit is %d", size, limit())
	}
	runtime.KeepAlive(block)
	if !collectUntil(func() bool { return limit() == minMemory }) {
		t.Errorf("with little in use the limit is %d", limit())
	}
}

// collectUntil collects garbage until a condition holds, and reports whether it does.
func collectUntil(ok func() bool) bool {
	for range 200 {
		if ok() {
			return true
		}
		runtime.GC()
	}
	return false
}
