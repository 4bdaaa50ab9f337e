package robotsext

import (
	"context"
	"net/url"
	"slices"
	"time"

	"github.com/politecrawl/politecrawl/robotsext/internal/lookup"
	"github.com/politecrawl/politecrawl/robotsext/usage"
)

// SiteUsage is what the files of a site say about the use of one URL. The response may say more:
// see [usage.FromHeader] and [usage.FromMeta].
type SiteUsage struct {
	RobotsHash      string // Record.Hash of robots.txt; empty if there is none
	TDMRepHash      string // Record.Hash of tdmrep.json; empty if there is none, it cannot be read, or no purpose needs it
	Statements      []usage.Statement
	TDMRepProblem   string    // why a tdmrep.json states nothing, as Record.TDMRepProblem; empty also if no purpose needs it
	TDMRepFetchedAt time.Time // end of the last fetch of tdmrep.json; zero if no purpose needs it
}

// SiteUsage returns what the files of u's site say about the use of u: the lines of robots.txt
// about usage and, if purposes contain [usage.TDM], the rule of tdmrep.json. It fetches the files
// if necessary; tdmrep.json only if robots.txt allows it. While it is unreachable, its last copy
// applies. For a disallowed URL SiteUsage returns nothing. The errors are those of Decide.
func (r *Robots) SiteUsage(ctx context.Context, u *url.URL, purposes ...usage.Purpose) (SiteUsage, error) {
	d, err := r.Decide(ctx, u)
	if err != nil {
		return SiteUsage{}, err
	}
	return r.siteUsage(ctx, u, d, purposes)
}

// siteUsage is SiteUsage for a URL on which Decide has decided.
func (r *Robots) siteUsage(ctx context.Context, u *url.URL, d Decision, purposes []usage.Purpose) (SiteUsage, error) {
	if d.Verdict != Allowed || d.Record == nil {
		return SiteUsage{}, nil
	}
	u, err := CleanURL(u)
	if err != nil {
		return SiteUsage{}, err
	}
	path := u.RequestURI()
	site := SiteUsage{RobotsHash: d.Record.Hash}
	if file := d.Record.File; file != nil {
		site.Statements = usage.FromRobots(file, d.Group, site.RobotsHash, path)
	}
	if !slices.Contains(purposes, usage.TDM) {
		return site, nil
	}
	r.tdmrepOnce.Do(func() { r.tdmrep = r.lookup.TDMRep(r.checkTDMRep, r.options.OnTDMRep) })
	rec, err := resolve(ctx, r.tdmrep, d.Record.Origin, false)
	if err != nil {
		return SiteUsage{}, err
	}
	site.TDMRepFetchedAt, site.TDMRepProblem = rec.FetchedAt, rec.TDMRepProblem()
	rec = rec.InForce()
	if site.TDMRepHash = rec.Hash; rec.TDMRep == nil {
		return site, nil
	}
	if s, ok := rec.TDMRep.Match(path); ok {
		site.Statements = append(site.Statements, s)
	}
	return site, nil
}

// Permit is Check and SiteUsage together. It returns a *BlockedError with the Reason Usage if the
// files of the site disallow one of the purposes. Nil does not say that every purpose is allowed:
// the site may have said nothing. It fails for a purpose that is not one of [usage.Purposes].
func (r *Robots) Permit(ctx context.Context, u *url.URL, purposes ...usage.Purpose) error {
	for _, p := range purposes {
		if _, err := usage.ParsePurpose(string(p)); err != nil {
			return err
		}
	}
	d, err := r.Decide(ctx, u)
	if err != nil {
		return err
	}
	if err := d.Err(u); err != nil {
		return err
	}
	site, err := r.siteUsage(ctx, u, d, purposes)
	if err != nil {
		return err
	}
	verdicts := usage.Merge(site.Statements)
	for _, p := range purposes {
		if v := verdicts[p]; v.Value == usage.Disallowed {
			o := d.Record.Origin
			return &BlockedError{
				URL: u.Redacted(), Reason: Usage, Purpose: p, Statement: &site.Statements[v.Statement-1],
				Origin: o, RobotsURL: o.RobotsURL(),
			}
		}
	}
	return nil
}

// checkTDMRep reports whether robots.txt allows u, the URL of a tdmrep.json or of its redirect.
func (r *Robots) checkTDMRep(ctx context.Context, u *url.URL) error {
	switch d, err := r.Decide(ctx, u); {
	case err != nil:
		return err
	case d.Verdict == Disallowed:
		return lookup.ErrDisallowed
	default:
		return d.Err(u)
	}
}
