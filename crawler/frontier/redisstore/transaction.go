package redisstore

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// An item is a URL to add.
type item struct {
	key       string
	host      frontier.Host
	priority  uint8
	notBefore time.Time
	text      string // key and Meta as Redis stores them
	shard     int
	sum       uint64
	revisit   bool
	own       bool  // its shard is that of its page
	omitted   bool  // not sent, because the cache has it
	fresh     *bool // the result: it is new, or is revisited
}

// An ending is an outcome to send.
type ending struct {
	ticket
	result     frontier.Result
	notBefore  time.Time
	hostDelay  time.Duration
	validators string // as Redis stores them; empty if none
	err        *error // the result
}

// A section has the items and outcomes of a transaction.
type section struct {
	hosts   []frontier.Host // of the items, in their order
	items   map[frontier.Host][]*item
	endings []ending
}

func (sec *section) add(it *item) {
	if sec.items[it.host] == nil {
		sec.hosts = append(sec.hosts, it.host)
	}
	sec.items[it.host] = append(sec.items[it.host], it)
}

// sections are the sections of a batch, by shard.
type sections map[int]*section

func (ss sections) of(shard int) *section {
	if ss[shard] == nil {
		ss[shard] = &section{items: make(map[frontier.Host][]*item)}
	}
	return ss[shard]
}

// A transaction is one call of transaction.lua.
type transaction struct {
	shard   int
	key     string // selects the server, and stores the reply for a repeated call
	nonce   string
	note    []byte // nil if none
	orders  []order
	section *section // nil if none
	whole   bool     // send items also if the cache has them

	forgot int       // the restarts that were known when it was first composed
	sent   []*item   // in the order of the reply
	ended  []ending  // in the order of the reply
	made   time.Time // when it was sent; leases count from then
}

// An order asks for leases.
type order struct {
	w       *waiter
	most    int
	perHost int
}

// transact sends a transaction and stores its results.
func (s *schedule) transact(ctx context.Context, t *transaction) error {
	r, err := s.run(ctx, func(again bool) call { return s.compose(t, again) })
	if err != nil {
		return err
	}
	return s.answered(t, r)
}

// compose returns the call of a transaction.
func (s *schedule) compose(t *transaction, again bool) call {
	c := s.callAt(t.key, "transaction", t.nonce, s.opts.WorkerName, flag(again))
	args := c.args
	if t.note != nil {
		args = append(args, strconv.Itoa(s.home), string(t.note), s.instance)
	} else {
		args = append(args, "", "", "")
	}
	args = append(args, s.memory.basis(t, again)...)
	args = append(args, strconv.Itoa(len(t.orders)))
	for _, o := range t.orders {
		length := cmp.Or(max(o.w.req.Duration, 0), s.opts.LeaseTime)
		args = append(args, strconv.Itoa(o.most), strconv.Itoa(o.perHost), micros(length))
	}
	args = append(args, flag(len(t.orders) > 0))
	if len(t.orders) > 0 {
		args = append(args, strconv.Itoa(t.shard))
	}
	args = append(args, flag(t.section != nil))
	t.sent, t.ended, t.made = t.sent[:0], t.ended[:0], time.Now()
	if t.section != nil {
		args = s.composeSection(args, t, again)
	}
	c.args = args
	return c
}

func flag(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

func (s *schedule) composeSection(args []string, t *transaction, again bool) []string {
	sec := t.section
	args = append(args, strconv.Itoa(t.shard), "")
	hosts, n := 0, len(args)-1
	for _, host := range sec.hosts {
		items := s.memory.choose(t, sec.items[host], again)
		if len(items) == 0 {
			continue
		}
		hosts++
		args = append(args, string(host), strconv.Itoa(len(items)))
		for _, it := range items {
			bucket, hash := s.layout.place(it.key, it.sum)
			mode := "a"
			if it.revisit {
				mode = "r"
			} else if it.omitted {
				mode = "A"
			}
			args = append(args, mode, strconv.Itoa(bucket), hash, strconv.Itoa(int(it.priority)),
				until(it.notBefore), it.text)
		}
		t.sent = append(t.sent, items...)
	}
	args[n] = strconv.Itoa(hosts)
	args = append(args, strconv.Itoa(len(sec.endings)))
	for _, e := range sec.endings {
		wait := until(e.notBefore)
		if e.notBefore.IsZero() {
			wait = ""
		}
		has := ""
		if e.validators != "" {
			has = "v"
		}
		args = append(args, e.token, strconv.Itoa(int(e.result)), wait, micros(e.hostDelay),
			strconv.Itoa(e.bucket), e.hash, has, e.validators)
	}
	t.ended = append(t.ended, sec.endings...)
	return args
}

// answered stores the reply to a transaction: now, items, outcomes, leases, heads.
func (s *schedule) answered(t *transaction, r reply) error {
	items, endings := r.string(1), r.string(2)
	if len(items) != len(t.sent) || len(endings) != len(t.ended) {
		return fmt.Errorf("the reply has %d of %d items and %d of %d outcomes", len(items), len(t.sent), len(endings), len(t.ended))
	}
	for i, it := range t.sent {
		*it.fresh = items[i] == '1'
	}
	for i, e := range t.ended {
		if endings[i] != '1' {
			*e.err = frontier.ErrLeaseLost
		}
	}
	for _, m := range r.array(3) {
		l, err := m.ToArray()
		if err != nil {
			return err
		}
		if err := s.leased(t, l); err != nil {
			return err
		}
	}
	s.memory.add(t)
	s.learn(r, 4)
	return nil
}

// leased reads a lease: order, shard, host, token, priority, attempt, length,
// URL with Meta, validators.
func (s *schedule) leased(t *transaction, l reply) error {
	host := frontier.Host(l.string(2))
	it, err := decodeItem(l.string(7), host)
	if err != nil {
		return err
	}
	it.Priority = uint8(l.int(4))
	validators, err := decodeValidators(l.string(8))
	if err != nil {
		return err
	}
	number := int(l.int(0)) - 1
	if number < 0 || number >= len(t.orders) {
		return errDamaged
	}
	key := it.Key().String()
	bucket, hash := s.layout.place(key, s.layout.urls.Sum(key))
	w := t.orders[number].w
	w.leases = append(w.leases, frontier.Lease{
		Item:       it,
		ID:         ticket{int(l.int(1)), l.string(3), bucket, hash}.id(),
		Attempt:    int(l.int(5)),
		Expires:    t.made.Add(time.Duration(l.int(6)) * time.Microsecond),
		Validators: validators,
	})
	return nil
}
