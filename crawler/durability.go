package crawler

// Durability says after which failures a crawl can be resumed.
type Durability string

const (
	// DurableProcess survives a kill of the process at any time.
	DurableProcess Durability = "process"
	// DurablePower also survives a crash or power cut of the machine. The crawl syncs
	// results to disk before the frontier records them.
	DurablePower Durability = "power"
)

func (d Durability) valid() bool { return d == DurableProcess || d == DurablePower }
