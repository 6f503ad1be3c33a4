/** Addresses of the web that a task names. */

const maxAddresses = 50

/** Returns the addresses in a text in their order, without duplicates. */
export const addressesIn = (input: string): string[] =>
  [
    ...new Set(
      (input.match(/https?:\/\/[^\s<>"'«»،؛)\]}]{4,2000}/g) ?? []).map((address) =>
        address.replace(/(?<![.,;:!?؟])[.,;:!?؟]+$/, ''),
      ),
    ),
  ].slice(0, maxAddresses)

/** Returns the https form of an http address: nothing is read without encryption, and nearly every host supports it. */
export function securedAddress(address: string): string {
  const url = URL.parse(address)
  if (url?.protocol !== 'http:' || url.port !== '') return address
  url.protocol = 'https:'
  return url.href
}
