package frontier

import "time"

// Counts are numbers of URLs by state. Each URL is in one state, so that always
//
//	URLs = Pending + Scheduled + InFlight + Done + Dropped
type Counts struct {
	URLs      int `json:"urls"`      // all known URLs
	Pending   int `json:"pending"`   // leased as soon as their host is due
	Scheduled int `json:"scheduled"` // waiting for their NotBefore
	InFlight  int `json:"in_flight"` // leased: being fetched
	Done      int `json:"done"`      // fetched
	Dropped   int `json:"dropped"`   // will never be fetched
}

// Plus returns the sum of c and d.
func (c Counts) Plus(d Counts) Counts {
	return Counts{
		URLs: c.URLs + d.URLs, Pending: c.Pending + d.Pending, Scheduled: c.Scheduled + d.Scheduled,
		InFlight: c.InFlight + d.InFlight, Done: c.Done + d.Done, Dropped: c.Dropped + d.Dropped,
	}
}

// Stats is a snapshot of a frontier.
type Stats struct {
	Counts
	// Hosts is the number of hosts with URLs, in any state.
	Hosts int
	// NextDue is the earliest time at which Lease can return a URL. It is not after now if a
	// URL can be leased now. It is zero if no URL waits, or if all wait for leases to end.
	NextDue time.Time
}

// Finished reports whether no URL remains. A frontier that is not finished but returns no
// lease is waiting: until NextDue, or for leases to end.
func (s Stats) Finished() bool {
	return s.Pending == 0 && s.Scheduled == 0 && s.InFlight == 0
}
