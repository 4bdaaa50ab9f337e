// Package usage reads what a site allows its pages to be used for, and combines all signals of
// a page.
//
// robots.txt says which pages a crawler may fetch. Other signals say what the fetched content
// may be used for. They are in robots.txt, in response headers, in meta elements and in files of
// their own. Each reader returns a [Statement] for every signal that it finds, with its source
// and its text. [Merge] combines them to one [Verdict] for each [Purpose]: any disallow wins,
// else any allow, else the purpose is unknown (draft-ietf-aipref-vocab, section 5.1).
//
// What [FromRobots] and [TDMRep.Match] return is known before a page is fetched. What
// [FromHeader] and [FromMeta] return is known with the response. [ParseRSL] reads a license file.
//
// # Which signal concerns which purpose
//
//	signal                             search  ai-input  train-ai  tdm  archive
//	Content-Usage: search=y|n            y/n
//	Content-Usage: ai-use=y|n                    y/n
//	Content-Usage: train-ai=y|n                             y/n
//	Content-Signal: search=yes|no        y/n
//	Content-Signal: ai-input=yes|no              y/n
//	Content-Signal: ai-train=yes|no                         y/n
//	tdm-reservation: 0|1                                    y/n    y/n
//	noai, noimageai                               n          n
//	noindex, none                         n
//	unavailable_after: a past date        n
//	nosnippet, max-snippet: 0                     n
//	noarchive, nocache                                                   n
//	RSL permits|prohibits search         y/n
//	RSL permits|prohibits ai-input               y/n
//	RSL permits|prohibits ai-train                          y/n
//	RSL permits|prohibits ai-all                 y/n        y/n
//	RSL permits|prohibits all            y/n     y/n        y/n    y/n  y/n
//
// The categories of Content-Usage do not contain each other, so a label says nothing about
// another purpose. Training an AI model mines text and data, so a TDM reservation covers training
// too. A refusal of training does not refuse other mining. Google stops using a page as AI input
// if it has nosnippet. DeviantArt, which introduced noai and noimageai, refuses training and
// input by both.
//
// A statement without values is recorded too: a label that the table does not name, a
// max-snippet above 0, an unavailable_after in the future, an invalid value, or a link to a
// license file. An RSL permit with a condition, such as a payment, permits nothing by itself.
//
// Lines about usage neither start nor end a group of robots.txt, like all lines but Allow and Disallow
// (RFC 9309, section 2.2.4): if a User-agent line follows them directly, its crawler is in the group.
//
// # Sources
//
// Content-Usage is defined by draft-ietf-aipref-attach and draft-ietf-aipref-vocab, Content-Signal
// by contentsignals.org, tdm-reservation by the W3C TDM Reservation Protocol, and RSL by Really
// Simple Licensing 1.0. Structured fields (RFC 9651) are parsed by httpsfv. The package does no
// I/O, and limits what it reads and returns.
package usage
