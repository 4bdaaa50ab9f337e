package quota

import "testing"

// Each key has a limit of its own. A key that nobody uses takes no memory.
func TestConcurrentIsLimitedByKey(t *testing.T) {
	c := NewConcurrent[string](2)
	first, ok1 := c.Acquire("a")
	second, ok2 := c.Acquire("a")
	_, third := c.Acquire("a")
	other, ok3 := c.Acquire("b")
	if !ok1 || !ok2 || third || !ok3 {
		t.Errorf("a: %t, %t, %t; b: %t", ok1, ok2, third, ok3)
	}
	first()
	first() // a second time has no effect
	if len(c.used) != 2 || c.used["a"] != 1 {
		t.Errorf("in use: %v", c.used)
	}
	second()
	other()
	if len(c.used) != 0 {
		t.Errorf("in use: %v", c.used)
	}
}
