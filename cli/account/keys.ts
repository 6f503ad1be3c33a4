import { isDeepStrictEqual } from 'node:util'
import { auditedCaps } from '#account/audit'
import { type KeyRow, keyRows } from '#account/identity'
import {
  createKey,
  isScope,
  type Key,
  type KeyOptions,
  lockKey,
  maxOrigins,
  readOrigin,
  revokeKey,
  type Scope,
  scopes,
  setKey,
} from '#platform/auth'
import type { Db } from '#platform/db'
import type { Language } from '#platform/errors'
import { list, readCaps, readCount, readExpiry, readId, readKeepDays, readName } from '../amounts.ts'
import { auditCommand } from '../audit.ts'
import {
  type Command,
  type CommandResult,
  type ParsedArguments,
  refuse,
  refuseUsage,
  type Session,
} from '../command.ts'
import { card, showTime, type TableColumn, table } from '../output.ts'
import { phrases, titles } from '../phrases.ts'
import { alsoAtServer } from './at-server/at-server.ts'
import * as atServer from './at-server/keys.ts'
import { changeCaps } from './caps.ts'
import { readCatalogue } from './catalogue.ts'
import { showCount, spendingColumns, spendingJson } from './money.ts'
import { projectOf } from './projects.ts'

const keyLimits = [
  'cap',
  'monthly-cap',
  'rate',
  'concurrency',
  'models',
  'expires',
  'responses-max-output-tokens',
  'keep-days',
  'origins',
]

export const keyCommands: Command[] = [
  alsoAtServer(
    {
      name: 'key create',
      about: {
        fa: 'کلیدی می‌سازد و رمزش را یک بار نشان می‌دهد.',
        en: 'Makes a key and shows its secret once.',
      },
      takes: [],
      options: ['project', 'name', 'scopes', ...keyLimits],
      needs: ['name'],
      run: create,
    },
    atServer.createKey,
  ),
  alsoAtServer(
    {
      name: 'key list',
      about: { fa: 'همهٔ کلیدها، یا کلیدهای یک پروژه.', en: 'All keys, or those of a project.' },
      takes: [],
      options: ['project'],
      needs: [],
      run: listAll,
    },
    atServer.listKeys,
  ),
  alsoAtServer(
    {
      name: 'key set',
      about: {
        fa: 'سقف‌ها، مدل‌ها، انقضا، اندازهٔ پیش‌فرض پاسخ و صفحه‌های مجاز کلید را تغییر می‌دهد؛ آنچه ننویسید همان می‌ماند.',
        en: 'Changes caps, models, end, default answer length and origins of a key; what is left out stays as it is.',
      },
      takes: ['KEY'],
      options: keyLimits,
      needs: [],
      changes: true,
      run: change,
    },
    atServer.setKey,
  ),
  alsoAtServer(
    {
      name: 'key revoke',
      about: {
        fa: 'کلید را برای همیشه باطل می‌کند؛ همهٔ سرورها در یک ثانیه آگاه می‌شوند.',
        en: 'Revokes a key for good; every server knows within a second.',
      },
      takes: ['KEY'],
      options: [],
      needs: [],
      run: revoke,
    },
    atServer.revokeKey,
  ),
]

/** The most output tokens of one answer (contract section 8). */
const maxOutput = 32_768

async function create(session: Session, { options }: ParsedArguments): Promise<CommandResult> {
  const { language } = session
  const now = new Date(session.clock.nowMs())
  const ask = {
    name: readName('--name', options.name ?? ''),
    caps: readCaps(options),
    scopes: readScopes(options.scopes ?? 'all'),
    ...(await readLimits(session, options, now)),
  }
  const project = await projectOf(session, options.project)
  const db = await session.db()
  const { secret, key_id } = await db.tx(async (tx) => {
    const { account_id: accountId, project_id: projectId } = project
    const key = await createKey(tx, { accountId, projectId, ...ask }, now)
    await auditCommand(tx, session, {
      ...{ accountId, projectId, operation: 'keys.create', target: { kind: 'key', id: key.key_id } },
      after: { ...auditedKey(key), ...auditedCaps(ask.caps) },
    })
    return key
  })
  const row = await one(db, now, project.project_id, key_id)
  return {
    json: { ...jsonOf(row, now), secret },
    text: `${phrases.keyCreated()[language]}\n\n  ${secret}\n\n${card(row, columns(language, now), language)}`,
  }
}

async function change(
  session: Session,
  { words: [typed = ''], options }: ParsedArguments,
): Promise<CommandResult> {
  const { language } = session
  const id = readId('KEY', typed)
  const now = new Date(session.clock.nowMs())
  const caps = readCaps(options)
  const limits = await readLimits(session, options, now)
  const db = await session.db()
  const key = await db.tx(async (tx) => {
    const before = await lockKey(tx, id)
    const found = await setKey(tx, id, limits)
    if (!found || !before) refuse('KEY_NOT_FOUND', phrases.noKey(id))
    // With new limits a revoked key would look valid again.
    if (found.revoked_at) refuse('KEY_REVOKED', phrases.keyRevoked(id))
    await changeCaps(tx, session, {
      ...{ accountId: found.account_id, projectId: found.project_id, scope: 'key', scopeId: id },
      ...{ operation: 'keys.change', caps },
      ...changedMembers(auditedKey(before), auditedKey(found)),
    })
    return found
  })
  const row = await one(db, now, key.project_id, id)
  return {
    json: jsonOf(row, now),
    text: `${phrases.keyChanged()[language]}\n${card(row, columns(language, now), language)}`,
  }
}

/** A key in the audit log: what it may do, and neither its secret nor the hash of it. */
const auditedKey = (key: Key) => ({
  name: key.name,
  scopes: key.scopes,
  models: key.models,
  origins: key.origins,
  expires_at: key.expires_at,
  keep_days: key.keep_days,
  responses_max_output_tokens: key.responses_max_output_tokens,
})

/** The members whose values differ. */
function changedMembers(before: object, after: object): { before: object; after: object } {
  const changed = Object.entries(after).filter(
    ([name, value]) => !isDeepStrictEqual(value, before[name as keyof typeof before]),
  )
  const names = changed.map(([name]) => [name, before[name as keyof typeof before]])
  return { before: Object.fromEntries(names), after: Object.fromEntries(changed) }
}

async function one(db: Db, now: Date, projectId: string, keyId: string): Promise<KeyRow> {
  const row = (await keyRows(db, now, projectId)).find(({ key_id }) => key_id === keyId)
  return row ?? refuse('KEY_NOT_FOUND', phrases.noKey(keyId))
}

function readScopes(typed: string): readonly Scope[] {
  if (typed.trim() === 'all') return scopes
  const asked = list(typed)
  const unknown = asked.filter((scope) => !isScope(scope))
  if (unknown.length > 0) refuseUsage(phrases.unknownScopes(unknown, scopes))
  if (asked.length === 0) refuseUsage(phrases.noScopes(scopes))
  return asked.filter(isScope)
}

/**
 * The limits of a key as typed: its models, its expiry, and its output where a request names no maximum. Null lifts a limit, undefined was not given.
 */
async function readLimits(
  session: Session,
  {
    expires,
    models,
    origins,
    'responses-max-output-tokens': output,
    'keep-days': keepDays,
  }: Readonly<Record<string, string>>,
  now: Date,
): Promise<Pick<KeyOptions, 'expiresAt' | 'models' | 'origins' | 'responsesMaxOutputTokens' | 'keepDays'>> {
  return {
    keepDays: readKeepDays(keepDays),
    responsesMaxOutputTokens:
      output === undefined ? undefined : readCount('--responses-max-output-tokens', output, maxOutput),
    expiresAt: expires === undefined ? undefined : readExpiry('--expires', expires, now.getTime()),
    models: models === undefined ? undefined : await readModels(session, models),
    origins: origins === undefined ? undefined : readOrigins(origins),
  }
}

async function readModels(session: Session, typed: string): Promise<string[] | null> {
  if (typed.trim() === 'all') return null
  const { models } = await readCatalogue(session.env)
  const known = models.list().map(({ id }) => id)
  const asked = list(typed)
  const unknown = asked.filter((id) => !models.find(id))
  if (unknown.length > 0) refuse('MODEL_NOT_FOUND', phrases.unknownModels(unknown, known))
  if (asked.length === 0) refuseUsage(phrases.noModels(known))
  return asked
}

/** The origins of pages that may use the key from a browser; null for none. */
function readOrigins(typed: string): string[] | null {
  if (typed.trim() === 'none') return null
  const read = list(typed).map((text) => ({ text, origin: readOrigin(text) }))
  const wrong = read.filter(({ origin }) => origin === undefined).map(({ text }) => text)
  if (wrong.length > 0) refuseUsage(phrases.notOrigins(wrong))
  const origins = [...new Set(read.flatMap(({ origin }) => origin ?? []))]
  if (origins.length === 0 || origins.length > maxOrigins) refuseUsage(phrases.countOfOrigins(maxOrigins))
  return origins
}

async function listAll(session: Session, { options }: ParsedArguments): Promise<CommandResult> {
  const { language } = session
  const now = new Date(session.clock.nowMs())
  const project = options.project === undefined ? undefined : await projectOf(session, options.project)
  const rows = await keyRows(await session.db(), now, project?.project_id)
  const text =
    rows.length === 0 ? `${phrases.noKeyYet()[language]}\n` : table(rows, columns(language, now), language)
  return { json: { data: rows.map((row) => jsonOf(row, now)) }, text }
}

async function revoke(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const id = readId('KEY', given.words[0] ?? '')
  const now = new Date(session.clock.nowMs())
  const db = await session.db()
  const key = await db.tx(async (tx) => {
    const before = await lockKey(tx, id)
    const found = await revokeKey(tx, id, now)
    if (!found || !before || before.revoked_at) return found
    const { account_id: accountId, project_id: projectId, name } = found
    await auditCommand(tx, session, {
      ...{ accountId, projectId, operation: 'keys.revoke', target: { kind: 'key', id } },
      before: { name },
    })
    return found
  })
  if (!key) refuse('KEY_NOT_FOUND', phrases.noKey(id))
  // A key that was revoked before keeps the time at which it was revoked first.
  const at = key.revoked_at ?? now
  const message = phrases.revoked(key.name, { fa: showTime(at, 'fa'), en: showTime(at, 'en') })
  return {
    json: { id: key.key_id, name: key.name, revoked_at: at.toISOString() },
    text: `${message[session.language]}\n`,
  }
}

function stateOf(row: KeyRow, now: Date): 'active' | 'expired' | 'revoked' {
  if (row.revoked_at) return 'revoked'
  return row.expires_at && row.expires_at <= now ? 'expired' : 'active'
}

const columns = (language: Language, now: Date): TableColumn<KeyRow>[] => [
  { title: titles.id, show: (row) => row.key_id },
  { title: titles.name, show: (row) => row.name },
  { title: titles.hint, show: (row) => `…${row.hint}` },
  { title: titles.state, show: (row) => phrases.state[stateOf(row, now)][language] },
  { title: titles.project, show: (row) => row.project_id },
  ...spendingColumns<KeyRow>(language),
  {
    title: titles.expires,
    show: (row) => (row.expires_at ? showTime(row.expires_at, language) : phrases.none()[language]),
  },
  {
    title: titles.responsesOutput,
    show: ({ responses_max_output_tokens: tokens }) => showCount(tokens, language),
    numeric: true,
  },
  {
    title: titles.keepDays,
    show: ({ keep_days: days }) => showCount(days, language),
    numeric: true,
  },
  {
    title: titles.origins,
    show: ({ origins }) => origins?.join(',') ?? phrases.none()[language],
  },
  { title: titles.models, show: (row) => row.models?.join(',') ?? phrases.all()[language] },
  {
    title: titles.scopes,
    show: (row) =>
      scopes.every((scope) => row.scopes.includes(scope)) ? phrases.all()[language] : row.scopes.join(','),
  },
]

const jsonOf = (row: KeyRow, now: Date) => ({
  id: row.key_id,
  account_id: row.account_id,
  project_id: row.project_id,
  name: row.name,
  hint: row.hint,
  state: stateOf(row, now),
  scopes: row.scopes,
  models: row.models,
  origins: row.origins,
  responses_max_output_tokens: row.responses_max_output_tokens,
  keep_days: row.keep_days,
  ...spendingJson(row),
  expires_at: row.expires_at?.toISOString() ?? null,
  revoked_at: row.revoked_at?.toISOString() ?? null,
  created_at: row.created_at.toISOString(),
})
