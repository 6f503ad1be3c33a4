import { auditedCaps } from '#account/audit'
import { type AccountRow, accountRows, type GrantOutcome, grantCredits } from '#account/identity'
import { createAccount, lockAccount, setAccountState, setPlan } from '#platform/auth'
import type { Tx } from '#platform/db'
import type { Language } from '#platform/errors'
import { uuidv7 } from '#platform/ids'
import { creditsDown, type Grant } from '#platform/ledger'
import { readCaps, readCredits, readId, readName, showCredits } from '../amounts.ts'
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
import { changeCaps } from './caps.ts'
import { credits, spendingColumns, spendingJson } from './money.ts'

export const accountCommands: Command[] = [
  {
    name: 'account create',
    about: { fa: 'حسابی می‌سازد.', en: 'Makes an account.' },
    takes: [],
    options: ['name', 'plan', 'credits', 'cap', 'monthly-cap', 'rate', 'concurrency'],
    needs: ['name'],
    run: create,
  },
  {
    name: 'account list',
    about: { fa: 'همهٔ حساب‌ها با موجودی و خرج.', en: 'All accounts, with balance and spending.' },
    takes: [],
    options: [],
    needs: [],
    run: listAll,
  },
  {
    name: 'account set',
    about: {
      fa: 'طرح و سقف‌های حساب را تغییر می‌دهد؛ آنچه ننویسید همان می‌ماند.',
      en: 'Changes plan and caps of an account; what is left out stays as it is.',
    },
    takes: ['ACCOUNT'],
    options: ['plan', 'cap', 'monthly-cap', 'rate', 'concurrency'],
    needs: [],
    changes: true,
    run: change,
  },
  {
    name: 'account grant',
    about: {
      fa: 'به حساب اعتبار می‌دهد؛ عدد منفی از اعتبار آزاد پس می‌گیرد.',
      en: 'Puts credits on an account; a negative number takes back what is free.',
    },
    takes: ['ACCOUNT', 'CREDITS'],
    options: ['reason', 'id'],
    needs: [],
    run: giveCredits,
  },
  {
    name: 'account suspend',
    about: {
      fa: 'حساب را معلق می‌کند: کلیدهایش ۴۰۳ می‌گیرند.',
      en: 'Suspends an account: its keys are answered 403.',
    },
    takes: ['ACCOUNT'],
    options: [],
    needs: [],
    run: (session, given) => setState(session, given, 'suspended'),
  },
  {
    name: 'account resume',
    about: { fa: 'حساب معلق را دوباره فعال می‌کند.', en: 'Makes a suspended account active again.' },
    takes: ['ACCOUNT'],
    options: [],
    needs: [],
    run: (session, given) => setState(session, given, 'active'),
  },
]

async function create(session: Session, { options }: ParsedArguments): Promise<CommandResult> {
  const name = readName('--name', options.name ?? '')
  const plan = options.plan === undefined ? undefined : readName('--plan', options.plan)
  const caps = readCaps(options)
  const microcredits = options.credits === undefined ? 0n : readCredits('--credits', options.credits)
  if (microcredits < 0n) refuseUsage(phrases.negative('--credits'))
  const now = new Date(session.clock.nowMs())
  const db = await session.db()
  const made = await db.tx(async (tx) => {
    const account = await createAccount(tx, { name, caps, ...(plan !== undefined && { plan }) }, now)
    const grant = {
      accountId: account.account_id,
      transferId: uuidv7(),
      microcredits,
      reason: 'account create',
    }
    const target = { kind: 'account', id: account.account_id }
    await auditCommand(tx, session, {
      ...{ accountId: account.account_id, operation: 'account.create', target },
      after: { name, plan: account.plan, ...auditedCaps(caps) },
    })
    if (microcredits > 0n) await auditGrant(tx, session, grant, await grantCredits(tx, grant, now))
    return account
  })
  const row = await one(session, made.account_id)
  return {
    json: jsonOf(row),
    text: `${phrases.accountCreated()[session.language]}\n${card(row, columns(session.language), session.language)}`,
  }
}

async function listAll(session: Session): Promise<CommandResult> {
  const { language } = session
  const rows = await accountRows(await session.db(), new Date(session.clock.nowMs()))
  const text =
    rows.length === 0 ? `${phrases.noAccountYet()[language]}\n` : table(rows, columns(language), language)
  return { json: { data: rows.map(jsonOf) }, text }
}

async function change(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const accountId = readId('ACCOUNT', given.words[0] ?? '')
  const plan = given.options.plan === undefined ? undefined : readName('--plan', given.options.plan)
  const caps = readCaps(given.options)
  const db = await session.db()
  const found = await db.tx(
    async (tx) =>
      (plan === undefined || (await changePlan(tx, session, accountId, plan))) &&
      changeCaps(tx, session, { accountId, scope: 'account', operation: 'account.caps', caps }),
  )
  if (!found) refuse('ACCOUNT_NOT_FOUND', phrases.noAccount(accountId))
  const row = await one(session, accountId)
  return {
    json: jsonOf(row),
    text: `${phrases.accountChanged()[session.language]}\n${card(row, columns(session.language), session.language)}`,
  }
}

/** Sets the plan of an account. Returns false if there is no such account. */
async function changePlan(tx: Tx, session: Session, accountId: string, plan: string): Promise<boolean> {
  const before = await lockAccount(tx, accountId)
  if (!before || !(await setPlan(tx, accountId, plan))) return false
  const target = { kind: 'account', id: accountId }
  const change = { before: { plan: before.plan }, after: { plan } }
  await auditCommand(tx, session, { accountId, operation: 'account.plan', target, ...change })
  return true
}

/** Writes the row of a grant that was made. */
async function auditGrant(tx: Tx, session: Session, grant: Grant, done: GrantOutcome): Promise<void> {
  if (done.outcome !== 'granted') return
  const { accountId, transferId, microcredits, reason } = grant
  await auditCommand(tx, session, {
    ...{ accountId, operation: 'credits.grant', target: { kind: 'transfer', id: transferId } },
    after: { microcredits, reason, balance_microcredits: done.balance },
  })
}

async function giveCredits(
  session: Session,
  { words: [account = '', amount = ''], options }: ParsedArguments,
): Promise<CommandResult> {
  const accountId = readId('ACCOUNT', account)
  const microcredits = readCredits('CREDITS', amount)
  if (microcredits === 0n) refuseUsage(phrases.zero())
  const transferId = options.id === undefined ? uuidv7() : readId('--id', options.id)
  const reason = options.reason === undefined ? 'grant' : readName('--reason', options.reason)
  const now = new Date(session.clock.nowMs())
  const db = await session.db()
  const done = settled(
    accountId,
    transferId,
    await db.tx(async (tx) => {
      const grant = { accountId, transferId, microcredits, reason }
      const outcome = await grantCredits(tx, grant, now)
      await auditGrant(tx, session, grant, outcome)
      return outcome
    }),
  )
  const free = done.balance - done.held
  const message =
    done.outcome === 'repeated'
      ? phrases.grantRepeated(credits(free))
      : microcredits > 0n
        ? phrases.granted(credits(microcredits), credits(free))
        : phrases.takenBack(credits(-microcredits), credits(free))
  return {
    json: {
      id: transferId,
      account_id: accountId,
      microcredits: String(microcredits),
      repeated: done.outcome === 'repeated',
      balance_microcredits: String(free),
      reserved_microcredits: String(done.held),
    },
    text: `${message[session.language]}\n  --id ${transferId}\n`,
  }
}

/** Refuses every failed outcome and returns the rest. */
function settled(accountId: string, id: string, done: GrantOutcome) {
  if (done.outcome === 'no_account') refuse('ACCOUNT_NOT_FOUND', phrases.noAccount(accountId))
  if (done.outcome === 'conflict') refuse('GRANT_CONFLICT', phrases.grantConflict(id, credits(done.earlier)))
  if (done.outcome === 'insufficient') refuse('INSUFFICIENT_CREDITS', phrases.notFree(credits(done.free)))
  if (done.outcome === 'too_much') refuse('BALANCE_TOO_BIG', phrases.balanceTooBig())
  return done
}

async function setState(
  session: Session,
  given: ParsedArguments,
  state: 'active' | 'suspended',
): Promise<CommandResult> {
  const accountId = readId('ACCOUNT', given.words[0] ?? '')
  const db = await session.db()
  if (!(await db.tx((tx) => changeState(tx, session, accountId, state))))
    refuse('ACCOUNT_NOT_FOUND', phrases.noAccount(accountId))
  const row = await one(session, accountId)
  const message = state === 'suspended' ? phrases.suspended(row.name) : phrases.resumed(row.name)
  return { json: jsonOf(row), text: `${message[session.language]}\n` }
}

/** The account that is named, or the only one there is. */
export async function accountOf(session: Session, typed: string | undefined): Promise<AccountRow> {
  if (typed !== undefined) return one(session, readId('--account', typed))
  const [only, another] = await accountRows(await session.db(), new Date(session.clock.nowMs()))
  if (!only) refuse('ACCOUNT_NOT_FOUND', phrases.noAccountYet())
  if (another) refuseUsage(phrases.whichAccount())
  return only
}

/** Sets the state of an account. Returns false if there is no such account. */
async function changeState(
  tx: Tx,
  session: Session,
  accountId: string,
  state: 'active' | 'suspended',
): Promise<boolean> {
  const before = await lockAccount(tx, accountId)
  if (!before) return false
  if (before.state === 'closing' || before.state === 'closed')
    refuse('ACCOUNT_CLOSING', phrases.closing(before.name))
  await setAccountState(tx, accountId, state)
  await auditCommand(tx, session, {
    ...{ accountId, operation: state === 'suspended' ? 'account.suspend' : 'account.resume' },
    target: { kind: 'account', id: accountId },
    ...{ before: { state: before.state }, after: { state } },
  })
  return true
}

async function one(session: Session, accountId: string): Promise<AccountRow> {
  const [row] = await accountRows(await session.db(), new Date(session.clock.nowMs()), accountId)
  return row ?? refuse('ACCOUNT_NOT_FOUND', phrases.noAccount(accountId))
}

const columns = (language: Language): TableColumn<AccountRow>[] => [
  { title: titles.id, show: (row) => row.account_id },
  { title: titles.name, show: (row) => row.name },
  { title: titles.plan, show: (row) => row.plan },
  { title: titles.state, show: (row) => phrases.state[row.state][language] },
  { title: titles.free, show: (row) => showCredits(row.balance - row.held, language), numeric: true },
  ...spendingColumns<AccountRow>(language),
  { title: titles.created, show: (row) => showTime(row.created_at, language) },
]

const jsonOf = (row: AccountRow) => ({
  id: row.account_id,
  name: row.name,
  plan: row.plan,
  state: row.state,
  balance_credits: creditsDown(row.balance - row.held),
  balance_microcredits: String(row.balance - row.held),
  ...spendingJson(row),
  created_at: row.created_at.toISOString(),
})
