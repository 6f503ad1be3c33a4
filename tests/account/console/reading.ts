/** What a page is for those who do not see it: the tree that screen readers get, and what axe finds. */
import { AxeBuilder } from '@axe-core/playwright'
import type { Page } from 'playwright-core'

/** A sentence for each serious or critical violation that axe finds. */
export async function seriousViolations(page: Page): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode(true).analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id}: ${target} ${failureSummary}`),
    )
}

const roles = 'banner|navigation|main|complementary|contentinfo|search|region|dialog|heading|form'
const line = new RegExp(String.raw`^\s*- '?(${roles})(?: "((?:[^"\\]|\\.)*)")?(?: \[level=(\d)\])?`)

export interface Landmark {
  role: string
  name: string
  /** Of headings. */
  level?: number
}

/** Landmarks and headings of the page, in the order in which they are read. */
export const landmarksOf = async (page: Page): Promise<Landmark[]> =>
  landmarksIn(await page.locator('body').ariaSnapshot())

function landmarksIn(tree: string): Landmark[] {
  return tree.split('\n').flatMap((text) => {
    const [, role, name = '', level] = line.exec(text) ?? []
    return role === undefined ? [] : [{ role, name, ...(level !== undefined && { level: Number(level) }) }]
  })
}

const named = /^\s*- '?(button|link|textbox|combobox|checkbox|radio|switch|tab|searchbox)(?: ("|\[|:)|'?:?$)/

/** A sentence for each thing of the tree that a page must not have, whatever the page is. */
export async function treeFaults(page: Page): Promise<string[]> {
  const tree = await page.locator('body').ariaSnapshot()
  const landmarks = landmarksIn(tree)
  const faults: string[] = []
  for (const text of tree.split('\n')) {
    const [, role, next] = named.exec(text) ?? []
    if (role !== undefined && next !== '"') faults.push(`a ${role} has no name: ${text.trim()}`)
  }
  const count = (role: string) => landmarks.filter((one) => one.role === role).length
  if (count('main') !== 1) faults.push(`the page has ${count('main')} main parts`)
  const headings = landmarks.filter(({ role, name }) => role === 'heading' && name !== '')
  const firsts = headings.filter(({ level }) => level === 1)
  if (firsts.length !== 1) faults.push(`the page has ${firsts.length} headings of the first level`)
  for (const [at, { name, level = 0 }] of headings.entries())
    if (at > 0 && level > headings[at - 1]!.level! + 1) faults.push(`the heading «${name}» skips a level`)
  for (const { role, name } of landmarks)
    if (['region', 'navigation', 'dialog'].includes(role) && name === '') faults.push(`a ${role} has no name`)
  return faults
}
