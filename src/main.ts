/**
 * The program's first file: it turns the compile cache on and then imports run.ts. The cache covers only what is imported after it is on, so run.ts
 * imports all else.
 */
import { keepCompiled } from '#platform/compiled'
import { readEnv } from '#platform/env'
import { StartRefused } from '#platform/errors'

const env = readEnv(process.env)
keepCompiled(env.dataDir)
await refuseNewer()
await import('./run.ts')

/** Refuses a folder of a later release, by one small file, before the platform is loaded, which takes a second. */
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
