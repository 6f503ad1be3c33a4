/** Every page as it is seen and read: opened with the data of a scene, measured, and asked about by axe. */
import { expect } from 'vitest'
import { shotsOf } from '../../../scripts/console/pictures.ts'
import { fillHostile, hostileTexts } from './hostile.ts'
import { layoutFaults } from './layout.ts'
import { seriousViolations, treeFaults } from './reading.ts'
import { type ConsoleScene, phone, type Tab, type TabOptions, wide } from './scene.ts'

const nobody = '01900000-0000-7000-8000-000000000000'

/** Where nothing is: such a page has a heading too, under which it says so. */
const emptyPaths = [`/keys/${nobody}`, `/management-keys/${nobody}`, `/members/${nobody}`, '/nothing']

/** The paths of all pages behind the sign-in, and of what is below them, with this id where one thing is shown. */
export async function personalPaths(ids: Readonly<Record<string, string>>): Promise<string[]> {
  const shots = await shotsOf()
  return shots
    .filter(({ isOfStranger, path }) => !isOfStranger && (!path.includes('$') || ids[path] !== undefined))
    .map(({ path }) => path.replace(/\$\w+/, () => ids[path]!))
}

/** What is wrong with the page that is shown: its boxes, its tree, and where `hasAxe` what axe finds. */
export async function faultsOf({ page }: Tab, hasAxe: boolean): Promise<string[]> {
  return [
    ...(await layoutFaults(page)),
    ...(await treeFaults(page)),
    ...(hasAxe ? await seriousViolations(page) : []),
  ]
}

/** Nothing that somebody else wrote has run in the page. */
export async function expectHarmless({ page }: Tab, name: string): Promise<void> {
  expect(await page.evaluate('globalThis.hostile'), name).toBeUndefined()
}

/** Opens every page with the session of the owner of an account in which everything has a hostile name, and expects no fault. */
export async function expectWhole(scene: ConsoleScene, options: TabOptions): Promise<void> {
  const displayName = hostileTexts[1]
  await using tab = await scene.memberTab('owner', { ...options, displayName })
  const ids = { ...(await fillHostile(scene.world, tab.member)), '/members/$id': tab.member.personId }
  const faults: string[] = []
  for (const path of emptyPaths) {
    await tab.open(path)
    const found = [...(await treeFaults(tab.page)), ...tab.takeFaults(404)]
    faults.push(...found.map((fault) => `${path}: ${fault}`))
  }
  for (const path of await personalPaths(ids)) {
    await tab.page.setViewportSize(wide)
    await tab.open(path)
    const found = await faultsOf(tab, true)
    await tab.page.setViewportSize(phone)
    found.push(...(await faultsOf(tab, false)), ...tab.takeFaults())
    faults.push(...found.map((fault) => `${path}: ${fault}`))
    await expectHarmless(tab, path)
  }
  expect(faults).toEqual([])
}
