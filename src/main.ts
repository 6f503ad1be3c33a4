/** The program's first file: whatever is imported after the compile cache is on starts from it, so that all else is imported by run.ts. */
import { keepCompiled } from '#platform/compiled'
import { readEnv } from '#platform/env'
import { StartRefused } from '#platform/errors'

const env = readEnv(process.env)
keepCompiled(env.dataDir)
await refuseNewer()
await import('./run.ts')

/** Before the platform is loaded, which takes a second: a folder of a later release is refused by what stands in one small file. */
async function refuseNewer(): Promise<void> {
  const { refuseNewerFolder } = await import('#platform/installation')
  try {
    await refuseNewerFolder(env.dataDir)
  } catch (error) {
    if (!(error instanceof StartRefused)) throw error
    const { refusal } = await import('./phrases.ts')
    process.stderr.write(refusal(error, env))
    process.exit(1)
  }
}
