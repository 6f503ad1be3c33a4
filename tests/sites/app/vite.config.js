// Every asset is a file of its own, as those of real sites are.
export default { build: { assetsInlineLimit: 0 } }
