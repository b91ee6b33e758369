// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// node uniorg.mjs TEXTS.json parses each text of a JSON list with uniorg and
// prints the processor time that took, in microseconds, the headlines seen, and
// the places in the list of the texts on which uniorg failed. It reads a tenth
// of them first, so that the code is compiled when time counts.

import { readFileSync } from 'node:fs'
import { parse } from 'uniorg-parse/lib/parser.js'

const texts = JSON.parse(readFileSync(process.argv[2], 'utf8'))

function headlines(node) {
  let count = node.type === 'headline' ? 1 : 0
  for (const child of node.children ?? []) count += headlines(child)
  return count
}

const failed = []
function read(text, place) {
  try {
    return parse(text)
  } catch {
    failed.push(place)
    return {}
  }
}

texts.slice(0, texts.length / 10).forEach(read)
failed.length = 0
const begun = process.cpuUsage()
const trees = texts.map(read)
const { user, system } = process.cpuUsage(begun)
const seen = trees.reduce((count, tree) => count + headlines(tree), 0)
console.log(JSON.stringify({ cpu: user + system, headlines: seen, failed }))
