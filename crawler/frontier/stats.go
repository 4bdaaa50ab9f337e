package frontier

import "time"

// Counts are numbers of URLs by state. Each URL that was ever added is in one
// state, so that at every moment
//
//	Added = Pending + Scheduled + Leased + Done + Dropped
type Counts struct {
	Added     int `json:"urls"`      // ever
	Pending   int `json:"pending"`   // to be leased as soon as their host allows it
	Scheduled int `json:"scheduled"` // waiting for a NotBefore that lies ahead
	Leased    int `json:"in_flight"` // in somebody's hands
	Done      int `json:"done"`      // fetched, not to be fetched again
	Dropped   int `json:"dropped"`   // never to be fetched
}

// Plus returns the sums of both.
func (c Counts) Plus(d Counts) Counts {
	return Counts{
		Added: c.Added + d.Added, Pending: c.Pending + d.Pending, Scheduled: c.Scheduled + d.Scheduled,
		Leased: c.Leased + d.Leased, Done: c.Done + d.Done, Dropped: c.Dropped + d.Dropped,
	}
}

// Stats is the state of a frontier at one moment.
type Stats struct {
	Counts
	// Hosts is the number of hosts that URLs were ever added for.
	Hosts int
	// NextDue is the earliest time at which a Lease could give something,
	// as far as it is a matter of time: nothing can be leased before. It is
	// not after now when something can be leased now, and zero when nothing
	// is waiting for time, but only for leases to end or for URLs to be added.
	NextDue time.Time
}

// Finished reports whether nothing is left to do. A frontier that is not
// finished, yet gives no lease, is waiting: for time, until NextDue, or for
// leases to end.
func (s Stats) Finished() bool {
	return s.Pending == 0 && s.Scheduled == 0 && s.Leased == 0
}
