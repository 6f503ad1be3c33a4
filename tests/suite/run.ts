/**
 * Runs one of the suites and judges the run.
 *
 *   node tests/suite/run.ts test [words for Vitest]
 *   node tests/suite/run.ts quick [words for Vitest]
 *   node tests/suite/run.ts campaign [folder …] [--owed] [--minutes <most>]
 */
import { runCampaign } from './campaign.ts'
import { runSuite } from './run-suite.ts'

const [command, ...words] = process.argv.slice(2)
if (command === 'campaign') process.exitCode = await runCampaign(words)
else if (command === 'test' || command === 'quick')
  process.exitCode = (await runSuite(command, words)).isGreen ? 0 : 1
else {
  console.error('usage: run.ts test|quick|campaign …')
  process.exitCode = 2
}
