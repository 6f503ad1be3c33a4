import { maxPackageIdLength } from '#cloud/clouds'
import { storableText } from '#platform/schema'

/** A package of the account, by its id in the configuration. */
export const packageId = (description: Record<string, unknown>) =>
  storableText(1, maxPackageIdLength, description)
