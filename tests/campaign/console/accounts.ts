/** Accounts in the states that pages have to show. */

import { createPerson, setMember } from '#account/people'
import { createKey, createProject, type Role } from '#platform/auth'
import { fillHostile } from '../../account/console/hostile.ts'
import type { ConsoleScene, Tab, TabOptions } from '../../account/console/scene.ts'
import type { Member } from '../../harness/session.ts'

export interface Shown {
  /** Of the account and project, and of the person who looks at them. */
  member: { account: string; project: string; role: Role }
  /** By the path of a page: the id of the one thing that it shows. */
  ids: Record<string, string>
}

const rows = 400

/** New and with credit: nobody has made anything. */
export async function emptyAccount({ world }: ConsoleScene, credits = 1_000): Promise<Shown> {
  const { account, project } = await world.stranger(credits)
  return { member: { account, project, role: 'owner' }, ids: {} }
}

/** Everything has a name that a stranger has chosen. */
export async function hostileAccount(scene: ConsoleScene): Promise<Shown & { owner: Member }> {
  const { world } = scene
  await using tab = await scene.memberTab('owner')
  const ids = await fillHostile(world, tab.member)
  const { account, project } = world
  return {
    owner: tab.member,
    member: { account, project, role: 'owner' },
    ids: { ...ids, '/members/$id': tab.member.personId },
  }
}

/** With 400 keys and members, and 60 projects. */
export async function largeAccount(scene: ConsoleScene): Promise<Shown> {
  const shown = await emptyAccount(scene)
  const { app } = scene.world
  const { account: accountId, project: projectId } = shown.member
  const now = new Date(app.clock.nowMs())
  for (let at = 0; at < rows; at++)
    await app.db.tx(async (tx) => {
      const name = `کلید شمارهٔ ${at} of the shop`
      await createKey(tx, { accountId, projectId, name, scopes: ['responses:write'] }, now)
      const person = {
        displayName: `Person ${at} از شیراز`,
        locale: 'fa',
        email: `p${at}@large.example`,
      } as const
      const { personId } = await createPerson(tx, person, now)
      await setMember(tx, { accountId, personId, role: 'developer', projectIds: null }, now)
      if (at < 60) await createProject(tx, { accountId, name: `پروژهٔ ${at}` }, now)
    })
  return shown
}

/** A tab of a new member of that account. */
export const openAs = (
  scene: ConsoleScene,
  { member: { role, account, project } }: Shown,
  options: TabOptions & { role?: Role; displayName?: string } = {},
): Promise<Tab & { member: Member }> =>
  scene.memberTab(options.role ?? role, { account, project, ...options })
