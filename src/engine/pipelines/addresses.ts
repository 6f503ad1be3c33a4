/** Addresses of the web that a task names. */

const maxAddresses = 50

/** In their order, each once. */
export const addressesIn = (input: string): string[] =>
  [
    ...new Set(
      (input.match(/https?:\/\/[^\s<>"'«»،؛)\]}]{4,2000}/g) ?? []).map((address) =>
        address.replace(/(?<![.,;:!?؟])[.,;:!?؟]+$/, ''),
      ),
    ),
  ].slice(0, maxAddresses)

/** Nothing is read without encryption; nearly every host that people still name by `http://` has an encrypted address as well. */
export function securedAddress(address: string): string {
  const url = URL.parse(address)
  if (url?.protocol !== 'http:' || url.port !== '') return address
  url.protocol = 'https:'
  return url.href
}
