-- Appends a message for all workers.
--
-- ARGV: the message. The reply is now, the number of messages.

local before = said()
if before then return {now, before} end
return answer(call('RPUSH', ALL .. 'messages', p.message))
