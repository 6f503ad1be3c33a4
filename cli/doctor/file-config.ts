import { type Config, type Env, readConfigFile } from '#platform/config'
import { loadConfig } from '#settings'

/** With what the configuration file says; undefined where that is broken, which its own check reports. */
export function fileConfig(env: Env): Config | undefined {
  try {
    return loadConfig(env, readConfigFile(env))
  } catch {
    return undefined
  }
}
