/** `kherad person`: the people who sign in, and what an operator does for those who cannot. */
import { cancelFactorReset, hasSecondFactor, requestFactorReset } from '#account/factors'
import { resetPerson } from '#account/invitations'
import { listPeople, type Person } from '#account/people'
import type { Language } from '#platform/errors'
import { readCount, readId } from '../amounts.ts'
import { auditCommand } from '../audit.ts'
import { type Command, type CommandResult, type ParsedArguments, refuse, type Session } from '../command.ts'
import { showTime, type TableColumn, table } from '../output.ts'
import { phrases, titles } from '../phrases.ts'
import { peopleApp, personOf } from './people-app.ts'
import { peopleTitles, personOptions, peoplePhrases as words } from './people-phrases.ts'

export const personCommands: Command[] = [
  {
    name: 'person list',
    about: {
      fa: 'کسانی که وارد می‌شوند، آن‌ها که زودتر آمده‌اند نخست.',
      en: 'People who sign in, those who came first first.',
    },
    takes: [],
    options: ['limit', 'after'],
    needs: [],
    help: personOptions,
    run: list,
  },
  {
    name: 'person reset',
    about: {
      fa: 'پیوند یک‌بارمصرفی برای گذرواژهٔ تازهٔ شخص می‌سازد و به نشانی‌هایش خبر می‌دهد.',
      en: 'Makes a one-time link by which a person sets a new password, and notifies their addresses.',
    },
    takes: ['PERSON'],
    options: [],
    needs: [],
    run: reset,
  },
  {
    name: 'person reset-factors',
    about: {
      fa: 'ورود دومرحله‌ای کسی را که آن را گم کرده است پس از ۷۲ ساعت برمی‌دارد و همین حالا به نشانی‌هایش خبر می‌دهد.',
      en: 'Removes the second factors of a person who has lost them, in 72 hours, and notifies the addresses at once.',
    },
    takes: ['PERSON'],
    options: [],
    flags: ['cancel'],
    needs: [],
    run: resetFactors,
  },
]

const standardRows = 100
const maxRows = 10_000

async function list(session: Session, { options }: ParsedArguments): Promise<CommandResult> {
  const { language } = session
  const limit =
    options.limit === undefined ? standardRows : (readCount('--limit', options.limit, maxRows) ?? maxRows)
  const after = options.after === undefined ? undefined : readId('--after', options.after)
  const { rows, hasMore } = await listPeople(await session.db(), { limit, after_id: after })
  const lastId = rows.at(-1)?.personId ?? null
  const more = hasMore && lastId !== null ? `${words.morePeople(lastId)[language]}\n` : ''
  const none = after === undefined ? words.noPersonYet() : words.noFurtherPerson()
  return {
    json: { data: rows.map(jsonOf), has_more: hasMore, last_id: lastId },
    text: rows.length === 0 ? `${none[language]}\n` : table(rows, columns(language), language) + more,
  }
}

async function reset(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const db = await session.db()
  const person = await personOf(db, given.words[0] ?? '')
  const app = await peopleApp(session, db)
  const link = await db.tx((tx) => resetPerson(app, tx, person, new Date(session.clock.nowMs())))
  return {
    json: { person_id: person.personId, link },
    text: `${words.resetLink(person.displayName)[session.language]}\n\n  ${link}\n`,
  }
}

async function resetFactors(session: Session, given: ParsedArguments): Promise<CommandResult> {
  const { clock, language } = session
  const db = await session.db()
  const { personId, displayName, ...person } = await personOf(db, given.words[0] ?? '')
  const now = new Date(clock.nowMs())
  const target = { kind: 'person', id: personId }
  if (given.flags.includes('cancel')) {
    await db.tx(async (tx) => {
      if (!(await cancelFactorReset(tx, personId, now)))
        refuse('NO_FACTOR_RESET', words.noFactorReset(displayName))
      await auditCommand(tx, session, { accountId: null, operation: 'people.cancelFactorReset', target })
    })
    return {
      json: { person_id: personId, due_at: null },
      text: `${words.factorsKept(displayName)[language]}\n`,
    }
  }
  if (!(await hasSecondFactor(db, personId))) refuse('NO_SECOND_FACTOR', words.noSecondFactor(displayName))
  const app = await peopleApp(session, db)
  const dueAt = await db.tx(async (tx) => {
    const reset = await requestFactorReset(app, tx, { personId, displayName, ...person }, null, now)
    const after = { due_at: reset.dueAt }
    if (reset.isNew) {
      await auditCommand(tx, session, {
        accountId: null,
        operation: 'people.requestFactorReset',
        target,
        after,
      })
    }
    return reset.dueAt
  })
  return {
    json: { person_id: personId, due_at: dueAt.toISOString() },
    text: `${words.factorReset(displayName, showTime(dueAt, language))[language]}\n`,
  }
}

function columns(language: Language): TableColumn<Person>[] {
  const yesOrNo = (is: boolean) => (is ? words.yes() : words.no())[language]
  return [
    { title: titles.id, show: ({ personId }) => personId },
    { title: titles.name, show: ({ displayName }) => displayName },
    { title: peopleTitles.email, show: ({ email }) => email ?? phrases.none()[language] },
    { title: peopleTitles.operator, show: ({ isOperator }) => yesOrNo(isOperator) },
    { title: peopleTitles.password, show: ({ hasPassword }) => yesOrNo(hasPassword) },
    { title: peopleTitles.language, show: ({ locale }) => locale },
    { title: titles.created, show: ({ createdAt }) => showTime(createdAt, language) },
  ]
}

const jsonOf = (person: Person) => ({
  id: person.personId,
  display_name: person.displayName,
  email: person.email,
  locale: person.locale,
  time_zone: person.timeZone,
  is_operator: person.isOperator,
  has_password: person.hasPassword,
  created_at: person.createdAt.toISOString(),
})
