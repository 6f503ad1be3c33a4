/** `kherad account delete` and `kherad person delete`: what an operator does for those who ask for it, with the same thirty days to undo. */
import {
  beginAccountDeletion,
  beginPersonDeletion,
  type PendingAccount,
  pendingDeletions,
  undoAccountDeletion,
  undoPersonDeletion,
} from '#account/deletion'
import { type LeavingPerson, leavingPeople, type Person, personById } from '#account/people'
import { accounts } from '#platform/auth'
import { declarationOf, Failure, type Language } from '#platform/errors'
import { readId } from '../amounts.ts'
import { auditCommand, operatorActor } from '../audit.ts'
import {
  type Command,
  type CommandResult,
  type ParsedArguments,
  refuse,
  refuseUsage,
  type Session,
} from '../command.ts'
import { showTime, type TableColumn, table } from '../output.ts'
import { phrases, titles } from '../phrases.ts'
import { deletionOptions, deletionTitles, deletionPhrases as words } from './deletion-phrases.ts'
import { peopleApp, personOf } from './people-app.ts'

export const accountDeletionCommands: Command[] = [
  {
    name: 'account delete',
    about: {
      fa: 'حسابی را پس از ۳۰ روز حذف می‌کند و به عضوها خبر می‌دهد؛ با --cancel برمی‌گرداند.',
      en: 'Deletes an account in 30 days and notifies its members; --cancel undoes it.',
    },
    takes: ['ACCOUNT'],
    options: ['confirm'],
    flags: ['cancel'],
    needs: [],
    help: deletionOptions,
    run: deleteAccount,
  },
  {
    name: 'account deletions',
    about: { fa: 'حساب‌هایی که در انتظار حذف‌اند.', en: 'The accounts that are to be deleted.' },
    takes: [],
    options: [],
    needs: [],
    run: listAccounts,
  },
]

export const personDeletionCommands: Command[] = [
  {
    name: 'person delete',
    about: {
      fa: 'شخصی را پس از ۳۰ روز حذف می‌کند و به او خبر می‌دهد؛ با --cancel برمی‌گرداند.',
      en: 'Deletes a person in 30 days and notifies them; --cancel undoes it.',
    },
    takes: ['PERSON'],
    options: ['confirm'],
    flags: ['cancel'],
    needs: [],
    help: deletionOptions,
    run: deletePerson,
  },
  {
    name: 'person deletions',
    about: { fa: 'کسانی که در انتظار حذف‌اند.', en: 'The people who are to be deleted.' },
    takes: [],
    options: [],
    needs: [],
    run: listPeople,
  },
]

/** Refusals of the rooms as those of a command. */
const refusing = async <Result>(work: Promise<Result>): Promise<Result> =>
  work.catch((error: unknown) => {
    if (!(error instanceof Failure)) throw error
    const { fa, en } = declarationOf(error.code)
    return refuse(error.code, { fa: fa(error.detail), en: en(error.detail) })
  })

async function deleteAccount(
  session: Session,
  { words: [typed = ''], options, flags }: ParsedArguments,
): Promise<CommandResult> {
  const accountId = readId('ACCOUNT', typed)
  const db = await session.db()
  const [account] = await accounts(db, accountId)
  if (!account) return refuse('ACCOUNT_NOT_FOUND', phrases.noAccount(accountId))
  const app = await peopleApp(session, db)
  const now = new Date(session.clock.nowMs())
  const target = { kind: 'account', id: accountId }
  if (flags.includes('cancel')) {
    const { state } = await refusing(
      db.tx(async (tx) => {
        const undone = await undoAccountDeletion(app, tx, { accountId, personId: null }, now)
        const change = { before: { state: account.state }, after: { state: undone.state } }
        await auditCommand(tx, session, { accountId, operation: 'account.undoDelete', target, ...change })
        return undone
      }),
    )
    return {
      json: { account_id: accountId, state, due_at: null },
      text: `${words.accountKept(account.name)[session.language]}\n`,
    }
  }
  if (options.confirm !== account.name) refuseUsage(words.confirm(account.name))
  const { dueAt } = await refusing(
    db.tx(async (tx) => {
      const begun = await beginAccountDeletion(app, tx, { accountId, personId: null }, now)
      const change = { before: { state: account.state }, after: { due_at: begun.dueAt.toISOString() } }
      await auditCommand(tx, session, { accountId, operation: 'account.delete', target, ...change })
      return begun
    }),
  )
  const due = showTime(dueAt, session.language)
  return {
    json: { account_id: accountId, state: 'closing', due_at: dueAt.toISOString() },
    text: `${words.accountCloses(account.name, due)[session.language]}\n`,
  }
}

async function deletePerson(
  session: Session,
  { words: [typed = ''], options, flags }: ParsedArguments,
): Promise<CommandResult> {
  const db = await session.db()
  const { personId, displayName } = await personOf(db, typed)
  const app = await peopleApp(session, db)
  const now = new Date(session.clock.nowMs())
  if (flags.includes('cancel')) {
    await refusing(db.tx((tx) => undoPersonDeletion(app, tx, personId, operatorActor(), now)))
    return {
      json: { person_id: personId, due_at: null },
      text: `${words.personKept(displayName)[session.language]}\n`,
    }
  }
  if (options.confirm !== displayName) refuseUsage(words.confirm(displayName))
  const { dueAt } = await refusing(
    db.tx((tx) => beginPersonDeletion(app, tx, { personId, accountIds: [] }, operatorActor(), now)),
  )
  const due = showTime(dueAt, session.language)
  return {
    json: { person_id: personId, due_at: dueAt.toISOString() },
    text: `${words.personLeaves(displayName, due)[session.language]}\n`,
  }
}

async function listAccounts(session: Session): Promise<CommandResult> {
  const { language } = session
  const rows = await pendingDeletions(await session.db())
  return {
    json: {
      data: rows.map((row) => ({
        account_id: row.account_id,
        name: row.name,
        requested_by: row.requested_by,
        requested_at: row.requested_at.toISOString(),
        due_at: row.due_at.toISOString(),
        begun_at: row.begun_at?.toISOString() ?? null,
      })),
    },
    text: rows.length === 0 ? `${words.none()[language]}\n` : table(rows, accountColumns(language), language),
  }
}

const accountColumns = (language: Language): TableColumn<PendingAccount>[] => [
  { title: titles.id, show: (row) => row.account_id },
  { title: titles.name, show: (row) => row.name },
  { title: titles.state, show: (row) => phrases.state[row.state][language] },
  { title: deletionTitles.requested, show: (row) => showTime(row.requested_at, language) },
  { title: deletionTitles.due, show: (row) => showTime(row.due_at, language) },
]

async function listPeople(session: Session): Promise<CommandResult> {
  const { language } = session
  const db = await session.db()
  const rows: (LeavingPerson & { person: Person | undefined })[] = []
  for (const one of await leavingPeople(db)) rows.push({ ...one, person: await personById(db, one.personId) })
  const columns: TableColumn<(typeof rows)[number]>[] = [
    { title: titles.id, show: ({ personId }) => personId },
    { title: titles.name, show: ({ person }) => person?.displayName ?? '' },
    { title: deletionTitles.requested, show: ({ requestedAt }) => showTime(requestedAt, language) },
    { title: deletionTitles.due, show: ({ dueAt }) => showTime(dueAt, language) },
  ]
  return {
    json: {
      data: rows.map(({ personId, requestedAt, dueAt, person }) => ({
        person_id: personId,
        display_name: person?.displayName ?? null,
        requested_at: requestedAt.toISOString(),
        due_at: dueAt.toISOString(),
      })),
    },
    text: rows.length === 0 ? `${words.none()[language]}\n` : table(rows, columns, language),
  }
}
