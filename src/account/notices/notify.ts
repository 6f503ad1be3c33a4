import { queueLetter, type TypedLetter } from '#account/letters'
import { members, type Person, personById, type Role } from '#account/people'
import type { Tx } from '#platform/db'
import type { NoticesApp } from './app.ts'

/** Roles that hear of money and keys. */
const managing: ReadonlySet<Role> = new Set(['owner', 'admin', 'billing'])

export interface NoticeOf {
  accountId: string
  /** The project that the notice is about; absent: the whole account. */
  projectId?: string | null | undefined
  /** A member who hears of it whatever the role: the maker of a key. */
  personId?: string | null | undefined
}

/** Queues a letter to each member whom the notice concerns, in the language of each. Members without an address hear nothing. */
export async function notify(
  app: NoticesApp,
  tx: Tx,
  of: NoticeOf,
  letter: TypedLetter,
  now: Date,
): Promise<void> {
  for (const { personId, email, locale } of await recipientsOf(tx, of))
    await queueLetter(app, tx, { ...letter, to: email, personId, locale }, now)
}

/** Members who manage money and keys, and who may see the project. */
async function recipientsOf(
  tx: Tx,
  { accountId, projectId, personId }: NoticeOf,
): Promise<(Person & { email: string })[]> {
  const concerned = (await members(tx, accountId)).filter(({ role, projectIds, ...member }) => {
    const seesProject = projectIds === null || (projectId != null && projectIds.includes(projectId))
    return member.personId === personId || (managing.has(role) && seesProject)
  })
  const people: (Person & { email: string })[] = []
  for (const member of concerned) {
    const person = await personById(tx, member.personId)
    if (person?.email != null) people.push({ ...person, email: person.email })
  }
  return people
}
