import { type Config, type Env, readConfigFile } from '#platform/config'
import { loadConfig } from '#settings'

/** The configuration with its file; undefined where the file is broken, which its own check reports. */
export function fileConfig(env: Env): Config | undefined {
  try {
    return loadConfig(env, readConfigFile(env))
  } catch {
    return undefined
  }
}
