import { buildCatalogue, type Catalogue, type Discovery, discover } from '#core/models'
import { type Config, type Env, readConfigFile } from '#platform/config'
import { type Outbound, openOutbound } from '#platform/proxy'
import { loadConfig } from '#settings'
import { sandboxModels } from '../../src/connect.ts'

/** The models a server started here and now would offer. Throws `StartRefused` for what would stop its start. */
export async function readCatalogue(
  env: Env,
): Promise<{ config: Config; models: Catalogue; discovered: Discovery; outbound: Outbound }> {
  const config = loadConfig(env, readConfigFile(env))
  const outbound = openOutbound(config)
  const discovered = await discover(config.vendors, outbound)
  return { config, discovered, outbound, models: buildCatalogue(config, discovered, sandboxModels) }
}
