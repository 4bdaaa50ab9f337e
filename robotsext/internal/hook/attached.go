package hook

import (
	"runtime"
	"sync"
	"weak"

	"github.com/gocolly/colly/v2"
)

// attached are the gates of attached collectors. It keeps neither in memory.
type attached struct {
	mu    sync.Mutex
	gates map[weak.Pointer[colly.Collector]]weak.Pointer[gate]
}

// gate returns the gate of c; nil: there is none.
func (a *attached) gate(c *colly.Collector) *gate {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.gates[weak.Make(c)].Value()
}

// set sets the gate of c.
func (a *attached) set(c *colly.Collector, g *gate) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.gates == nil {
		a.gates = make(map[weak.Pointer[colly.Collector]]weak.Pointer[gate])
	}
	key := weak.Make(c)
	if _, known := a.gates[key]; !known {
		runtime.AddCleanup(c, a.forget, key)
	}
	a.gates[key] = weak.Make(g)
}

func (a *attached) forget(key weak.Pointer[colly.Collector]) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.gates, key)
}
