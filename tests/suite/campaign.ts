import { parseArgs } from 'node:util'
import {
  type Checkout,
  currentCheckout,
  foremost,
  maxOwedCommitsLength,
  type Owed,
  owedOf,
  writeProven,
} from './owed.ts'
import { type CampaignFolder, readCampaign } from './proves.ts'
import { runSuite } from './run-suite.ts'

/**
 * Runs campaign folders one after the other, each alone: those that are named, or all, or (`--owed`) those of which something that they prove
 * changed since they last passed. With `--minutes` only what fits in them by the minutes that the folders say of themselves; money and tenancy
 * are run whatever they cost. Returns the exit code.
 */
export async function runCampaign(words: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...words],
    allowPositionals: true,
    options: { owed: { type: 'boolean' }, minutes: { type: 'string' } },
  })
  const campaign = await readCampaign()
  const unknown = positionals.filter((name) => !campaign.some((folder) => folder.name === name))
  if (unknown.length) {
    console.error(
      `No campaign folder: ${unknown.join(', ')}. There are: ${campaign.map(({ name }) => name).join(', ')}.`,
    )
    return 2
  }
  const named = positionals.length ? campaign.filter(({ name }) => positionals.includes(name)) : campaign
  const owed = values.owed
    ? owedOf(named)
    : named.map((folder) => ({ folder, changed: undefined, commits: 0 }))
  if (values.owed) printOwed(owed)
  return runAll(owed, values.minutes === undefined ? Number.POSITIVE_INFINITY : Number(values.minutes))
}

function printOwed(owed: readonly Owed[]): void {
  if (!owed.length)
    console.log('Nothing of the campaign is owed: no file that it proves has changed since it passed.')
  for (const { folder, changed, commits } of owed) {
    const why = changed ? `${changed.length} files changed, ${commits} commits ago` : 'no known commit passed'
    console.log(`owed: ${folder.name} (${folder.minutes} minutes; ${why})`)
  }
}

interface FailedFolder {
  name: string
  red: readonly string[]
}

async function runAll(owed: readonly Owed[], minutes: number): Promise<number> {
  const beganMs = Date.now()
  const passed: string[] = []
  const failed: FailedFolder[] = []
  const postponed: Owed[] = []
  for (const one of owed) {
    const { folder } = one
    const leftMinutes = minutes - (Date.now() - beganMs) / 60_000
    if (folder.minutes > leftMinutes && !isForemost(folder)) {
      postponed.push(one)
      continue
    }
    console.log(`\n=== campaign ${folder.name}`)
    const checkout = currentCheckout()
    const { isGreen, red } = await runSuite(`campaign/${folder.name}`, [], folder.minutes)
    if (!isGreen) failed.push({ name: folder.name, red })
    else {
      passed.push(folder.name)
      note(folder.name, checkout)
    }
  }
  return conclude(passed, failed, postponed)
}

const isForemost = ({ name }: CampaignFolder): boolean => foremost.includes(name)

/** What passed is what was committed when it began, and stayed so: nothing is noted of a checkout that was changed. */
function note(name: string, begun: Checkout): void {
  const ended = currentCheckout()
  if (begun.isChanged || ended.isChanged || begun.commit !== ended.commit)
    console.log(`${name} passed with changes that are not committed: tests/proven.json stays as it was.`)
  else writeProven(name, begun.commit)
}

function conclude(
  passed: readonly string[],
  failed: readonly FailedFolder[],
  postponed: readonly Owed[],
): number {
  const overdue = postponed.filter(({ commits }) => commits > maxOwedCommitsLength)
  if (passed.length) console.log(`\ncampaign passed: ${passed.join(', ')}`)
  if (postponed.length)
    console.log(`campaign left out, still owed: ${postponed.map(({ folder }) => folder.name).join(', ')}`)
  if (overdue.length)
    console.error(
      `owed for more than ${maxOwedCommitsLength} commits: ${overdue.map(({ folder }) => folder.name).join(', ')}`,
    )
  // Whoever reads the end of a log alone learns what failed in folders that were run long before it.
  for (const { name, red } of failed) console.error([`campaign FAILED: ${name}`, ...red].join('\n  '))
  return failed.length || overdue.length ? 1 : 0
}
