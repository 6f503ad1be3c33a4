import type { Mutation } from './mutation.ts'

/** What the other rooms promise: jobs, webhooks, storage, the spool, routing, the wires of providers, sites. */
export const roomMutations: readonly Mutation[] = [
  {
    file: 'src/platform/jobs/lane.ts',
    find: '      const parked = failures + 1 >= maxFailures',
    replace: '      const parked = failures >= maxFailures',
    breaks: 'The tenth failure of a job is its last',
    test: 'tests/platform/jobs/jobs.test.ts',
    suite: 'test',
  },
  {
    file: 'src/platform/spool/spool.ts',
    find: '    if (this.#used + bytes > this.#maxBytes) fail(',
    replace: '    if (bytes > this.#maxBytes) fail(',
    breaks: 'All files of a process have one bound together',
    test: 'tests/platform/spool/spool.test.ts',
    suite: 'test',
  },
  {
    file: 'src/platform/spool/spool.ts',
    find: '    if (!this.#isKept) this.#giveBack()',
    replace: '    if (this.#isKept) this.#giveBack()',
    breaks: 'An upload that breaks off gives its room back',
    test: 'tests/platform/spool/spool.test.ts',
    suite: 'test',
  },
  {
    file: 'src/platform/storage/disk.ts',
    find: '  if (copied.bytes !== bytes || copied.sha256 !== sha256)',
    replace: '  if (copied.bytes !== bytes)',
    breaks: 'Nothing is stored under a hash that its bytes do not have',
    test: 'tests/platform/storage/storage.test.ts',
    suite: 'test',
  },
  {
    file: 'src/platform/allowance/allowance.ts',
    find: '  if (needed > left) return 0\n',
    replace: '',
    breaks: 'No day gives more than its limit, however many processes take of it',
    test: 'tests/sites/allowance.test.ts',
    suite: 'test',
  },
  {
    file: 'src/account/webhooks/delivery/sender.ts',
    find: '    if (isGone(outcome)) {\n',
    replace: '    if (isGone(outcome) && attempts > 1) {\n',
    breaks: 'A target that answers 410 is sent nothing more',
    test: 'tests/account/webhooks-retries.test.ts',
    suite: 'test',
  },
  {
    file: 'src/account/webhooks/manual.ts',
    find: 'ping, since)) >= maxTests)',
    replace: 'ping, since)) > maxTests)',
    breaks: 'Nobody floods a foreign address with tests of a connection',
    test: 'tests/account/webhooks-delivery.test.ts',
    suite: 'test',
  },
  {
    file: 'src/core/routing/breaker.ts',
    find: '    if (openings !== this.#openings) return\n    this.#failures = 0',
    replace: '    this.#failures = 0',
    breaks: 'A long call that began before the failures does not close the breaker',
    test: 'src/core/routing/breaker.test.ts',
    suite: 'quick',
  },
  {
    file: 'src/providers/kit/fault.ts',
    find: "  if (status === 429) return noCreditPattern.test(words) ? 'authentication' : 'rate_limited'",
    replace: "  if (status === 429) return 'rate_limited'",
    breaks: 'An upstream account without money is the operator’s to mend, and not waited for',
    test: 'tests/providers/upstream-faults.test.ts',
    suite: 'test',
  },
  {
    file: 'src/providers/kit/sse.ts',
    find: '      else if (chunk[position] === lineFeed) position += 1',
    replace: '',
    breaks: 'Lines of a stream of events may end in CR and LF, wherever its bytes are cut',
    test: 'tests/providers/sse.test.ts',
    suite: 'quick',
  },
  {
    file: 'src/work/runs/claim.ts',
    find: '        deadline: new Date(now.getTime() + app.config.work.maxMinutes * 60_000),\n',
    replace: '',
    breaks: 'A run that has begun ends after the time that the operator gives it',
    test: 'tests/work/work-time.test.ts',
    suite: 'test',
  },
  {
    file: 'src/platform/http/validate.ts',
    find: "  if (error.keyword === 'additionalProperties') fail('UNKNOWN_FIELD', { field: param }, { param })\n",
    replace: '',
    breaks: 'A field that no schema knows is refused as that, by its name',
    test: 'tests/contract/every-bound.test.ts',
    suite: 'test',
  },
  {
    file: 'src/work/agents/schema.ts',
    find: "  { ...closed, examples: [{ instructions: 'کوتاه، مؤدبانه و با ذکر منبع پاسخ بده.' }] },",
    replace: "  { examples: [{ instructions: 'کوتاه، مؤدبانه و با ذکر منبع پاسخ بده.' }] },",
    breaks: 'A change of an agent names no field that it does not have',
    test: 'tests/contract/every-bound.test.ts',
    suite: 'test',
  },
  {
    file: 'src/work/agents/store.ts',
    find: `    .selectAll()
    .where('account_id', '=', owner.accountId)
    .where('project_id', '=', owner.projectId)
  return`,
    replace: `    .selectAll()
    .where('account_id', '=', owner.accountId)
  return`,
    breaks: 'A list of agents has those of its own project alone',
    test: 'tests/contract/every-route/work.test.ts',
    suite: 'quick',
  },
]
