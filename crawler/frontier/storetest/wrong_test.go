//go:build unix

package storetest

// A wrong is one thing that a toy does wrong.
type wrong string

const (
	nothing wrong = ""

	takesAnything    wrong = "takes invalid items"
	closedIsAnyError wrong = "does not say that it is closed"
	ignoresContext   wrong = "begins when the context has ended"
	takesNoHost      wrong = "takes a host without name"
	invalidIsFatal   wrong = "fails the whole call for an invalid outcome"
	takesAnyOutcome  wrong = "takes outcomes without result"

	forgetsDone     wrong = "forgets URLs that are done"
	asksThenMarks   wrong = "looks for a URL and marks it in two steps"
	linksAreNew     wrong = "takes links for new"
	asksBeforeBatch wrong = "looks for a whole batch before it marks any of it"
	knowsOnlyQueues wrong = "does not know URLs that are done"
	addOverwrites   wrong = "changes what is known when it is added again"

	writesLate     wrong = "keeps in memory what has returned"
	neverWrites    wrong = "writes nothing"
	noteComesLate  wrong = "stores a note with the next"
	noteComesFirst wrong = "stores a note before its outcomes"

	expiresEarly      wrong = "lets leases expire early"
	neverExpires      wrong = "lets no lease expire"
	expiryIsNoAttempt wrong = "does not count attempts that expired"
	deferIsAnAttempt  wrong = "counts what was put off as an attempt"
	retryIsNoAttempt  wrong = "does not count attempts that failed"
	attemptsInMemory  wrong = "does not store attempts"
	extendShortens    wrong = "shortens a lease that is extended by less"

	leaseIsURL     wrong = "takes any lease of a URL for the last"
	dropsLostLinks wrong = "drops the links of lost leases"
	lostIsFatal    wrong = "fails the whole call for a lost lease"
	extendStops    wrong = "stops extending at a lost lease"

	linksAfterEnd   wrong = "adds links when the lease has ended"
	dropsRetryLinks wrong = "drops the links of a failed attempt"

	ignoresSlots      wrong = "leases without regard to slots"
	ignoresPerHost    wrong = "gives one call more of a host than it asks for"
	onlyStartToStart  wrong = "counts every delay from the start"
	onlyEndToStart    wrong = "counts every delay from the end"
	onlyHostDelay     wrong = "ignores the delay of the record"
	onlyOneClock      wrong = "has one clock for all hosts"
	sumsDelays        wrong = "adds both delays up"
	zeroIsARequest    wrong = "sets the clock when no request was made"
	expiryIsNoRequest wrong = "does not set the clock when a lease expires"
	ignoresBlocks     wrong = "ignores BlockUntil"
	lastBlockWins     wrong = "lets a block be lifted by an earlier one"
	trustsTheClock    wrong = "takes a clock set back for the truth"
	forgetsClocks     wrong = "forgets clocks when closed"
	clockNeedsAnEnd   wrong = "forgets requests that were on their way"
	holdTakesNoSlot   wrong = "counts no slot for a hold"
	holdLeavesClock   wrong = "does not set the clock after a hold"
	holdGoesLast      wrong = "lets leases go before holds"
	releasesTwice     wrong = "releases a hold again"

	newestFirst     wrong = "leases the newest first"
	ignoresPriority wrong = "ignores priorities"
	backGoesLast    wrong = "puts what comes back behind"
	newHostsFirst   wrong = "serves new hosts before those that wait"
	bigHostFirst    wrong = "serves the same host as long as it can"

	ignoresNotBefore  wrong = "ignores NotBefore"
	retryBlocksHost   wrong = "holds a host up for a retry"
	losesPriority     wrong = "loses the priority of what comes back"
	retryIgnoresClock wrong = "lets a retry go before its host is due"
	neverAgain        wrong = "never leases again what is done"

	leasedIsPending    wrong = "counts leased URLs as pending"
	forgetsDropped     wrong = "counts dropped URLs as pending"
	scheduledIsPending wrong = "counts scheduled URLs as pending"
	countsAllHosts     wrong = "counts hosts without URLs"

	neverWaits           wrong = "never waits"
	waitsAlways          wrong = "waits when it is not to"
	polls                wrong = "looks now and then while it waits"
	sleepsThroughChanges wrong = "does not wake for changes"
	neverNextDue         wrong = "does not say when to go on"

	wastesMemory wrong = "wastes memory"

	locksNothing wrong = "lets a second process in"

	keepsCallersBytes   wrong = "keeps the bytes of its caller"
	nilClearsValidators wrong = "forgets validators when there are no new ones"
	hostFromURL         wrong = "takes the host from the URL in any case"
	forgetsFailing      wrong = "forgets since when robots.txt fails"
	forgetsRobots       wrong = "forgets robots records when closed"

	nilClearsNote    wrong = "forgets the note when there is no new one"
	noteNeedsOutcome wrong = "drops a note without outcomes"
	noteNeedsSuccess wrong = "drops a note beside an outcome that is not accepted"
	forgetsNotes     wrong = "forgets the note when closed"

	revisitsOnlyKnown       wrong = "does not revisit what is new"
	revisitsOnlyDone        wrong = "does not revisit what was dropped"
	revisitsAny             wrong = "revisits what waits or is leased"
	revisitsAsBefore        wrong = "ignores the item of a revisit"
	revisitIsAttempt        wrong = "goes on counting attempts at a revisit"
	revisitClearsValidators wrong = "forgets validators at a revisit"
	revisitsFirst           wrong = "puts what is revisited in front"
	revisitIsNew            wrong = "counts a revisit as a new URL"

	listsOnlyPending wrong = "does not list what is scheduled"
	listsLeased      wrong = "lists what is leased as waiting"
	listsNoTimes     wrong = "lists no times"
	listsByIndex     wrong = "loses its place in a list that changes"
	listsOneHost     wrong = "lists nothing for all hosts"
	listsNoErrors    wrong = "ends a list without its error"

	clockPerOrigin  wrong = "has a clock for each spelling of a host"
	portsAreOneHost wrong = "has one clock for all ports"
	respellsURLs    wrong = "keeps URLs with another scheme"
	oneRobotsRecord wrong = "keeps one robots record of a host"
)

// wrongs says which point has to find what.
var wrongs = []struct {
	point int
	name  wrong
}{
	{0, takesAnything}, {0, closedIsAnyError}, {0, ignoresContext}, {0, takesNoHost}, {0, invalidIsFatal}, {0, takesAnyOutcome},
	{1, forgetsDone}, {1, asksThenMarks}, {1, linksAreNew}, {1, asksBeforeBatch}, {1, addOverwrites}, {1, knowsOnlyQueues}, {1, neverWrites},
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
	{13, keepsCallersBytes}, {13, nilClearsValidators}, {13, hostFromURL}, {13, forgetsFailing}, {13, forgetsRobots}, {13, neverWrites},
	{13, nilClearsNote}, {13, noteNeedsOutcome}, {13, noteNeedsSuccess}, {13, forgetsNotes},
	{14, revisitsOnlyKnown}, {14, revisitsOnlyDone}, {14, revisitsAny}, {14, revisitsAsBefore}, {14, revisitIsAttempt},
	{14, revisitClearsValidators}, {14, revisitsFirst}, {14, revisitIsNew}, {14, sleepsThroughChanges}, {14, asksThenMarks}, {14, neverWrites},
	{15, listsOnlyPending}, {15, listsLeased}, {15, listsNoTimes}, {15, listsByIndex}, {15, listsOneHost}, {15, listsNoErrors},
	{15, keepsCallersBytes}, {15, neverWrites},
	{16, clockPerOrigin}, {16, portsAreOneHost}, {16, respellsURLs}, {16, oneRobotsRecord}, {16, ignoresBlocks}, {16, neverWrites},
}
