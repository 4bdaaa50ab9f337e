package lookup

import (
	"fmt"
	"testing"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/record"
)

// ROB-POL-01: the origins of a server share its traffic, which is forgotten with the last
// of them.
func TestROB_POL_01_OriginsOfAServerShareTheDelay(t *testing.T) {
	l := New(Config{Cache: record.CacheOptions{MaxRecords: 2}, Now: time.Now}).Limiter
	l.SetDelay("https://a.test", 3*time.Second)
	l.SetDelay("http://a.test.", time.Second)
	if got := l.DelayOf("http://a.test"); got != 3*time.Second {
		t.Errorf("the delay of http://a.test is %v, want that of https://a.test", got)
	}
	l.SetDelay("https://a.test", 0)
	if got := l.DelayOf("http://a.test"); got != time.Second {
		t.Errorf("the delay of http://a.test is %v, want that of http://a.test.", got)
	}
	for i := range 10 {
		o := record.Origin(fmt.Sprintf("http://h%d.test", i))
		l.Begin(o)()
		m := l.memory
		m.mu.Lock()
		m.set(m.touch(o), &record.Record{Origin: o})
		slots, servers := len(m.slots), len(m.servers)
		m.mu.Unlock()
		if i > 1 && (slots != 2 || servers != 2) {
			t.Fatalf("%d origins of %d servers are kept, want 2 of 2", slots, servers)
		}
	}
	if got := l.DelayOf("http://a.test"); got != 0 {
		t.Errorf("the delay of a server that was forgotten is %v", got)
	}
}
