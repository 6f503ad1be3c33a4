import { type Mutation, mutationsBy } from './mutation.ts'

const of = mutationsBy({
  keys: 'tests/account/management-keys/bounds.test.ts',
  phone: 'tests/account/sign-in/phone.test.ts',
  number: 'src/account/phones/number.test.ts',
  ownData: 'tests/account/people/own-data.test.ts',
  talk: 'tests/work/talk/records.test.ts',
})

/** What owners give away and take back: management keys, the own phone, the own data, conversations. */
export const ownerMutations: readonly Mutation[] = [
  ...of(
    'src/platform/http/admit-management.ts',
    [
      'if (!caller.management!.addresses.has(clientAddress))',
      "if (clientAddress === '')",
      'A management key is valid from its addresses alone',
      'keys',
    ],
    [
      "scope !== 'public' && !caller.scopes.has(scope)",
      "scope !== 'public' && caller.scopes.size === 0",
      'A management key without the permission learns nothing of projects',
      'keys',
    ],
    [
      'if (route.managementKeys === undefined)',
      'if (route.managementKeys === undefined && isOfPeople(route))',
      'What only project keys do is closed to a management key',
      'keys',
    ],
  ),
  ...of(
    'src/platform/auth/management-keys.ts',
    [
      'scopes: new Set(row.permissions),',
      'scopes: new Set(managementRights),',
      'A management key does what its permissions name, and nothing else',
      'keys',
    ],
    [
      "if (rows.length === 0) fail('INVALID_API_KEY', {})",
      'void rows',
      'A change that waits while its management key is revoked is not made',
      'keys',
    ],
  ),
  ...of('src/platform/auth/key-ring.ts', [
    'const expiresAtMs = row.revoked_at ? 0 : row.expires_at.getTime()',
    'const expiresAtMs = row.revoked_at ? 0 : row.expires_at.getTime() + 1_000',
    'A management key ends at its very second',
    'keys',
  ]),
  ...of('migrations/0043-management-keys.sql', [
    ' or new.project_ids is not null then',
    ' then',
    'A management key ends when its maker is limited to projects',
    'keys',
  ]),
  ...of(
    'src/account/management-keys/make.ts',
    [
      'atMs <= now.getTime() + maxDays * 86_400_000',
      'atMs <= now.getTime() + (maxDays + 1) * 86_400_000',
      'A management key ends within 366 days',
      'keys',
    ],
    [
      "if (names.length > 0 && !permissions.includes('keys:write'))",
      "if (names.length > 99 && !permissions.includes('keys:write'))",
      'Scopes to give need the permission to make keys',
      'keys',
    ],
  ),
  ...of('src/account/management-keys/member.ts', [
    'if (!own || own.projectIds !== null || ',
    'if (!own || ',
    'Whoever is limited to projects makes no management key, which acts for all',
    'keys',
  ]),
  ...of(
    'src/account/keys/member.ts',
    [
      '(own.member ? scopes.added : scopes.all)',
      'scopes.added',
      'A management key changes no key that is stronger than those it makes',
      'keys',
    ],
    [
      "if (own.rights.has('account:write')) return",
      "if (own.rights.has('keys:write')) return",
      'A management key without a say over budgets raises no limit',
      'keys',
    ],
  ),
  ...of(
    'src/account/phones/budget.ts',
    [
      'ofNumber.max - (isOwn ? 0 : ofNumber.own)',
      'ofNumber.max',
      'Strangers do not use up the codes of a number',
      'phone',
    ],
    [
      'messages >= max || (isNewNumber && newNumbers >= maxNew)',
      'messages >= max',
      'New numbers get half of the messages of a day',
      'phone',
    ],
    [
      'if (taken === max) await notifySpent(',
      'if (taken === max + 1) await notifySpent(',
      'Operators hear of the last message of a day',
      'phone',
    ],
  ),
  ...of('src/account/sign-in-routes/throttle.ts', [
    "{ kind: 'text_network', of, max: 20, windowMs: hourMs }",
    "{ kind: 'text_network', of, max: 21, windowMs: hourMs }",
    'A network asks for twenty codes by SMS an hour',
    'phone',
  ]),
  ...of(
    'src/account/sign-in-routes/codes.ts',
    ['  phone_sign_in: 5,', '  phone_sign_in: 6,', 'A code by SMS is valid for five minutes', 'phone'],
    [
      'else await sql`update people.codes set tries = tries + 1 where ${ofPlace}`.execute(tx)',
      "else await sql`update people.codes set tries = tries + 1 where ${ofPlace} and purpose not like 'phone%'`.execute(tx)",
      'A code by SMS allows five tries',
      'phone',
    ],
  ),
  ...of(
    'src/account/phones/number.ts',
    [
      "latinDigits(text.normalize('NFKC'))",
      "text.normalize('NFKC')",
      'A number in Persian digits is the same number',
      'number',
    ],
    [
      '/^980?9\\d{9}$/',
      '/^989\\d{9}$/',
      'A number with country and the zero of the national form is the same number',
      'number',
    ],
    [
      'if (takesIran && ',
      'if (',
      'A number without country is one of Iran only where such numbers are permitted',
      'number',
    ],
  ),
  ...of('src/account/phones/own.ts', [
    'if (before !== null) await queueChanged(',
    "if (before === '') await queueChanged(",
    'The number before hears of a change',
    'phone',
  ]),
  ...of(
    'src/account/phones/store.ts',
    [
      "where message_id = ${messageId} and state = 'queued'",
      'where message_id = ${messageId}',
      'A message that a process had begun when it died is not sent again',
      'phone',
    ],
    [
      'set state = ${state}, code_sealed = null, ended_at',
      'set state = ${state}, ended_at',
      'A message that has ended keeps no code',
      'phone',
    ],
  ),
  ...of('src/account/exports/collect-store.ts', [
    'password_hash is not null as has_password',
    'password_hash as has_password',
    'An export has no hash of a password',
    'ownData',
  ]),
  ...of(
    'src/account/exports/collect.ts',
    [
      '.filter(({ projectId }) => projectIds?.includes(projectId) ?? true)',
      '.filter(({ projectId }) => projectId !== undefined || projectIds)',
      'An export has no file of a project that the person has left',
      'ownData',
    ],
    [
      "if (rights.has('files:read'))",
      'if (rights.size > 0)',
      'An export has no file of an account in which the person may read none',
      'ownData',
    ],
  ),
  ...of(
    'src/account/exports/handle.ts',
    [
      "state === 'ready' && expiresAt! <= now",
      "state === 'ready' && expiresAt! < now",
      'An export is there for a day to the second',
      'ownData',
    ],
    [
      "if (rows.some(({ state }) => state === 'queued' || state === 'running'))",
      "if (rows.some(({ state }) => state === 'failed'))",
      'One export of a person is made at a time',
      'ownData',
    ],
  ),
  ...of(
    'src/account/people/changes.ts',
    [
      'export const regretMs = 30 * 24',
      'export const regretMs = 31 * 24',
      'A deletion can be taken back for thirty days',
      'ownData',
    ],
    [
      "    .where('deletion_due_at', '>', now)\n",
      '',
      'A deletion that is due cannot be taken back',
      'ownData',
    ],
  ),
  ...of(
    'src/account/deletion/account.ts',
    [
      "await setAccountState(tx, accountId, 'closing')",
      'void setAccountState',
      'An account that is to be deleted is read-only',
      'ownData',
    ],
    [
      'await setAccountState(tx, accountId, taken.former_state)',
      "await setAccountState(tx, accountId, 'active')",
      'A suspended account whose deletion is undone is suspended again',
      'ownData',
    ],
  ),
  ...of('src/account/deletion/person.ts', [
    "if (orphans.length > 0) fail('SOLE_OWNER'",
    "if (orphans.length > 1) fail('SOLE_OWNER'",
    'The last owner does not leave an account behind',
    'ownData',
  ]),
  ...of(
    'src/account/deletion/erase.ts',
    [
      'if (await store.hasOpenHolds(app.db, accountId)) return { laterMs: waitMs }',
      'void store.hasOpenHolds',
      'Nothing of an account is deleted while a paid call of it is open',
      'ownData',
    ],
    [
      'await setAccountDetails(tx, accountId, { name: deletedName })',
      'void setAccountDetails',
      'A deleted account has no name in the books',
      'ownData',
    ],
  ),
  ...of(
    'src/work/talk/conversation-store.ts',
    [
      "    .where('person_id', '=', personId)\n    .executeTakeFirst()",
      '    .executeTakeFirst()',
      'A conversation is read by its person alone',
      'talk',
    ],
    [
      ' and f.purpose = ${talkPurpose}',
      '',
      'The deletion of a conversation leaves files that were not stored for Talk',
      'talk',
    ],
  ),
  ...of('src/work/talk/path.ts', [
    ' and m.depth < p.depth',
    '',
    'A walk from a message to its parents ends where rows run in a circle',
    'talk',
  ]),
]
