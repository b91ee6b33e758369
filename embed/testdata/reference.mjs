// Copyright The Fovea Authors. SPDX-License-Identifier: Apache-2.0

// Prints the token ids of each text, as Hugging Face's tokenizers.js finds them. The
// file that it is given has the tokenizer and the texts.
import { readFileSync } from "node:fs";
import { Tokenizer } from "@huggingface/tokenizers";

const { tokenizer, texts } = JSON.parse(readFileSync(process.argv[2], "utf8"));
const needed = { added_tokens: [], normalizer: null, pre_tokenizer: null, post_processor: null, decoder: null };
for (const [key, value] of Object.entries(needed)) tokenizer[key] ??= value;
const t = new Tokenizer(tokenizer, {});
console.log(JSON.stringify(texts.map((text) => t.encode(text, { add_special_tokens: false }).ids)));
