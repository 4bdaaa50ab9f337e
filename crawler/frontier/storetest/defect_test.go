//go:build unix

package storetest

// A defect is a deliberate error of a toy.
type defect string

const (
	noDefect defect = ""

	takesAnything    defect = "accepts invalid items"
	closedIsAnyError defect = "returns another error when closed"
	ignoresContext   defect = "starts although the context has ended"
	takesNoHost      defect = "accepts a host without name"
	invalidIsFatal   defect = "fails the whole call for an invalid outcome"
	takesAnyOutcome  defect = "accepts outcomes without result"

	forgetsDone     defect = "forgets URLs that are done"
	asksThenMarks   defect = "checks and adds a URL in two steps"
	linksAreNew     defect = "reports all links as new"
	asksBeforeBatch defect = "checks a whole batch before it adds any URL"
	knowsOnlyQueues defect = "does not know URLs that are done"
	knowsTooFew     defect = "returns no results of Known"
	addOverwrites   defect = "changes a known URL when it is added again"
	urlIsKey        defect = "ignores kinds and owners"
	forgetsKinds    defect = "forgets kinds and owners"

	writesLate     defect = "writes after the call has returned"
	neverWrites    defect = "writes nothing"
	noteComesLate  defect = "stores a note with the next one"
	noteComesFirst defect = "stores a note before its outcomes"

	expiresEarly      defect = "lets leases expire early"
	neverExpires      defect = "lets no lease expire"
	expiryIsNoAttempt defect = "does not count attempts that expired"
	deferIsAnAttempt  defect = "counts a deferred URL as an attempt"
	retryIsNoAttempt  defect = "does not count attempts that failed"
	attemptsInMemory  defect = "does not store attempts"
	extendShortens    defect = "shortens a lease that is extended by less"

	leaseIsURL     defect = "accepts every lease of a URL as the last one"
	dropsLostLinks defect = "drops the links of lost leases"
	lostIsFatal    defect = "fails the whole call for a lost lease"
	extendStops    defect = "stops extending at a lost lease"

	linksAfterEnd   defect = "adds links when the lease has ended"
	dropsRetryLinks defect = "drops the links of a failed attempt"

	ignoresSlots      defect = "ignores slots"
	ignoresPerHost    defect = "ignores PerHost"
	onlyStartToStart  defect = "measures every delay from the start"
	onlyEndToStart    defect = "measures every delay from the end"
	onlyHostDelay     defect = "ignores the delay of the record"
	onlyOneClock      defect = "has one clock for all hosts"
	sumsDelays        defect = "adds both delays"
	zeroIsARequest    defect = "sets the clock when no request was made"
	expiryIsNoRequest defect = "does not set the clock when a lease expires"
	ignoresBlocks     defect = "ignores BlockUntil"
	lastBlockWins     defect = "shortens a block by an earlier one"
	trustsTheClock    defect = "waits longer or shorter when the clock is set back"
	forgetsClocks     defect = "forgets clocks when closed"
	clockNeedsAnEnd   defect = "forgets requests that were in flight"
	holdTakesNoSlot   defect = "occupies no slot for a hold"
	holdLeavesClock   defect = "does not set the clock after a hold"
	holdGoesLast      defect = "prefers leases to holds"
	releasesTwice     defect = "releases a hold twice"

	newestFirst     defect = "leases the newest URLs first"
	ignoresPriority defect = "ignores priorities"
	backGoesLast    defect = "queues retried URLs last"
	newHostsFirst   defect = "prefers new hosts to waiting ones"
	bigHostFirst    defect = "serves the same host as long as possible"

	ignoresNotBefore  defect = "ignores NotBefore"
	retryBlocksHost   defect = "blocks a host for a retry"
	losesPriority     defect = "loses the priority of retried URLs"
	retryIgnoresClock defect = "leases a retry before its host is due"
	neverAgain        defect = "never leases done URLs again"

	leasedIsPending    defect = "counts leased URLs as pending"
	forgetsDropped     defect = "counts dropped URLs as pending"
	scheduledIsPending defect = "counts scheduled URLs as pending"
	countsAllHosts     defect = "counts hosts without URLs"

	neverWaits           defect = "never waits"
	waitsAlways          defect = "waits although Wait is zero"
	polls                defect = "polls while it waits"
	sleepsThroughChanges defect = "does not wake for changes"
	neverNextDue         defect = "returns no NextDue"

	wastesMemory defect = "wastes memory"

	locksNothing defect = "lets a second process open it"

	keepsCallersBytes   defect = "keeps the caller's slices"
	nilClearsValidators defect = "forgets validators if there are no new ones"
	hostFromURL         defect = "ignores Item.Host"
	forgetsFailing      defect = "forgets FailingSince"
	forgetsRobots       defect = "forgets robots.txt records when closed"
	ignoresEmptyRobots  defect = "ignores robots.txt records without data"

	nilClearsNote    defect = "forgets the note if there is no new one"
	noteNeedsOutcome defect = "drops a note without outcomes"
	noteNeedsSuccess defect = "drops a note with a rejected outcome"
	forgetsNotes     defect = "forgets the note when closed"

	revisitsOnlyKnown       defect = "does not add new URLs in Revisit"
	revisitsOnlyDone        defect = "does not revisit dropped URLs"
	revisitsAny             defect = "revisits waiting and leased URLs"
	revisitsAsBefore        defect = "ignores the item of a revisit"
	revisitIsAttempt        defect = "does not reset attempts in a revisit"
	revisitClearsValidators defect = "forgets validators in a revisit"
	revisitsFirst           defect = "queues revisited URLs first"
	revisitIsNew            defect = "counts a revisit as a new URL"

	listsOnlyPending defect = "does not list scheduled URLs"
	listsLeased      defect = "lists leased URLs"
	listsNoTimes     defect = "lists no NotBefore"
	listsByIndex     defect = "iterates by index over a changing list"
	listsOneHost     defect = "lists nothing for all hosts"
	listsNoErrors    defect = "ends a list without an error"

	clockPerOrigin  defect = "has a clock for each spelling of a host"
	portsAreOneHost defect = "has one clock for all ports"
	respellsURLs    defect = "changes the scheme of URLs"
	oneRobotsRecord defect = "keeps one robots.txt record for each host"
)

// defects lists which point must find which defect.
var defects = []struct {
	point int
	name  defect
}{
	{0, takesAnything}, {0, closedIsAnyError}, {0, ignoresContext}, {0, takesNoHost}, {0, invalidIsFatal}, {0, takesAnyOutcome},
	{1, forgetsDone}, {1, asksThenMarks}, {1, linksAreNew}, {1, asksBeforeBatch}, {1, addOverwrites}, {1, knowsOnlyQueues}, {1, knowsTooFew}, {1, urlIsKey}, {1, forgetsKinds},
	{1, neverWrites},
	{2, writesLate}, {2, neverWrites}, {2, noteComesLate}, {2, noteComesFirst},
	{3, expiresEarly}, {3, neverExpires}, {3, expiryIsNoAttempt}, {3, deferIsAnAttempt}, {3, retryIsNoAttempt},
	{3, attemptsInMemory}, {3, extendShortens},
	{4, leaseIsURL}, {4, dropsLostLinks}, {4, lostIsFatal}, {4, extendStops},
	{5, linksAfterEnd}, {5, dropsRetryLinks}, {5, neverWrites},
	{6, ignoresSlots}, {6, ignoresPerHost}, {6, onlyStartToStart}, {6, onlyEndToStart}, {6, onlyHostDelay}, {6, onlyOneClock}, {6, sumsDelays},
	{6, zeroIsARequest}, {6, expiryIsNoRequest}, {6, ignoresBlocks}, {6, lastBlockWins}, {6, trustsTheClock},
	{6, forgetsClocks}, {6, clockNeedsAnEnd}, {6, holdTakesNoSlot}, {6, holdLeavesClock}, {6, holdGoesLast}, {6, releasesTwice},
	{7, newestFirst}, {7, ignoresPriority}, {7, backGoesLast}, {7, newHostsFirst}, {7, bigHostFirst},
	{8, ignoresNotBefore}, {8, retryBlocksHost}, {8, losesPriority}, {8, retryIgnoresClock}, {8, neverAgain}, {8, neverWrites},
	{9, leasedIsPending}, {9, forgetsDropped}, {9, scheduledIsPending}, {9, countsAllHosts}, {9, neverWrites},
	{10, neverWaits}, {10, waitsAlways}, {10, polls}, {10, sleepsThroughChanges}, {10, neverNextDue},
	{11, wastesMemory},
	{12, locksNothing},
	{13, keepsCallersBytes}, {13, nilClearsValidators}, {13, hostFromURL}, {13, forgetsFailing}, {13, forgetsRobots}, {13, oneRobotsRecord}, {13, ignoresEmptyRobots}, {13, neverWrites},
	{13, nilClearsNote}, {13, noteNeedsOutcome}, {13, noteNeedsSuccess}, {13, forgetsNotes},
	{14, revisitsOnlyKnown}, {14, revisitsOnlyDone}, {14, revisitsAny}, {14, revisitsAsBefore}, {14, revisitIsAttempt},
	{14, revisitClearsValidators}, {14, revisitsFirst}, {14, revisitIsNew}, {14, sleepsThroughChanges}, {14, asksThenMarks}, {14, urlIsKey}, {14, neverWrites},
	{15, listsOnlyPending}, {15, listsLeased}, {15, listsNoTimes}, {15, listsByIndex}, {15, listsOneHost}, {15, listsNoErrors},
	{15, keepsCallersBytes}, {15, urlIsKey}, {15, forgetsKinds}, {15, neverWrites},
	{16, clockPerOrigin}, {16, portsAreOneHost}, {16, respellsURLs}, {16, ignoresBlocks}, {16, neverWrites},
}
