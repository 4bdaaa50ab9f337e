package storetest

import (
	"context"
	"time"

	"github.com/politecrawl/politecrawl/crawler/frontier"
)

// Calls returns a function for each method of f except Close, by the method's name. It calls the
// method with valid arguments and returns the error.
func Calls(f frontier.Frontier) map[string]func(context.Context) error {
	items := items("http://calls.test/1")
	calls := map[string]func(context.Context) error{
		"Add":    func(ctx context.Context) error { _, err := f.Add(ctx, items); return err },
		"Known":  func(ctx context.Context) error { _, err := f.Known(ctx, []frontier.Key{items[0].Key()}); return err },
		"Lease":  func(ctx context.Context) error { _, err := f.Lease(ctx, frontier.LeaseRequest{Wait: -1}); return err },
		"Finish": func(ctx context.Context) error { _, err := f.Finish(ctx, nil, []byte("note")); return err },
		"Note":   func(ctx context.Context) error { _, err := f.Note(ctx); return err },
		"Extend": func(ctx context.Context) error { return f.Extend(ctx, nil, time.Hour) },
		"Hold":   func(ctx context.Context) error { _, err := f.Hold(ctx, "hold.test"); return err },
		"Host":   func(ctx context.Context) error { _, err := f.Host(ctx, a); return err },
		"UpdateHost": func(ctx context.Context) error {
			return f.UpdateHost(ctx, "update.test", frontier.HostUpdate{MaxInFlight: 2})
		},
		"Stats": func(ctx context.Context) error { _, err := f.Stats(ctx); return err },
	}
	if f, ok := f.(frontier.Revisiter); ok {
		calls["Revisit"] = func(ctx context.Context) error { _, err := f.Revisit(ctx, items); return err }
	}
	if f, ok := f.(frontier.Lister); ok {
		calls["Waiting"] = func(ctx context.Context) error {
			for _, err := range f.Waiting(ctx) {
				return err
			}
			return nil
		}
	}
	return calls
}
