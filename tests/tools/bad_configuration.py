"""Invalid configurations and flags: YAML files, --section.option flags, columns, expressions."""

import json

from heft_program import ARM, HeftTestCase, demo_log, run_heft


class YamlTestCase(HeftTestCase):
    """A configuration file that is refused at `place`, a line like ":3"."""

    def refused(self, content, says, place="", remedy=""):
        path = self.write("bad.yaml", content)
        self.assert_refused(self.command(path), f"{path}{place}", says, remedy)

    def command(self, path):
        return ["identify", "--robot", ARM, "--log", demo_log("train.csv"), "--config", path, "--out",
                self.scratch / "out"]


class BadYaml(YamlTestCase):
    def test_missing(self):
        path = self.scratch / "nowhere.yaml"
        self.assert_refused(self.command(path), path, "cannot be opened", "check the path")

    def test_directory(self):
        self.assert_refused(self.command(self.scratch), self.scratch, "is a directory")

    def test_syntax(self):
        self.refused("conditioning:\n  dead_band: [1, 2\nbackend: }\n", "is not valid YAML", ":3")

    def test_tab(self):
        self.refused("conditioning:\n\tlowpass_hz: 3\n", "is not valid YAML", ":2")

    def test_undefined_anchor(self):
        self.refused("conditioning: *other\n", "is not valid YAML", ":1")

    def test_nested_too_deep(self):
        self.refused("a: " + "[" * 20000, "is not valid YAML", ":1")

    def test_binary(self):
        self.refused(b"conditioning:\n  filter: \xff\xfe\n", "byte 0xFF is not UTF-8", ":2", "UTF-8")

    def test_text(self):
        self.refused("hello\n", "must be a mapping of sections")

    def test_two_documents(self):
        self.refused("conditioning: {lowpass_hz: 3}\n---\nconditioning: {lowpass_hz: 4}\n", "contains 2 YAML documents")

    def test_unknown_section(self):
        self.refused("conditoning:\n  lowpass_hz: 3\n", "unknown section 'conditoning'", ":1",
                     "did you mean 'conditioning'?")

    def test_unknown_option(self):
        self.refused("conditioning:\n  trim: 3\n  lowpas_hz: 3\n", "unknown option 'lowpas_hz'", ":3",
                     "did you mean 'lowpass_hz'?")

    def test_option_twice(self):
        self.refused("conditioning:\n  lowpass_hz: 3\n  lowpass_hz: 5\n", "option 'lowpass_hz' is given twice", ":3")

    def test_section_twice(self):
        self.refused("backend: {threads: 1}\nbackend: {threads: 2}\n", "section 'backend' is given twice", ":2")

    def test_section_without_options(self):
        self.refused("conditioning: 3\n", "conditioning must be a mapping", ":1")

    def test_value_not_finite(self):
        self.refused("conditioning:\n  lowpass_hz: .nan\n", "lowpass_hz: cannot read '.nan'", ":2", "finite number")

    def test_value_out_of_range(self):
        self.refused("conditioning:\n  lowpass_hz: -2\n", "lowpass_hz must be positive, not '-2'", ":2")

    def test_what_only_the_log_tells_is_placed_too(self):
        self.refused("conditioning:\n  keep_every: 2\n  lowpass_hz: 600\n", "125 Hz, half the sample rate", ":3", "choose a lower cutoff")
        self.assert_refused([*self.command(self.write("good.yaml", "")), "--lowpass", "600"], "--conditioning.lowpass_hz", "half the sample rate",
                            "")

    def test_more_threads_than_any_machine_has(self):
        self.refused("backend: {threads: 100000}\n", "threads must be between 0 and 1024", ":1")

    def test_delimiter_that_ends_lines(self):
        self.refused('log: {delimiter: "\\n"}\n', "log.delimiter: ", ":1", "single character")

    def test_byte_order_mark_and_windows_line_ends(self):
        path = self.write("marked.yaml", b"\xef\xbb\xbfconditioning:\r\n  trim: 30\r\n")
        self.assertEqual(self.identify("--config", path)["provenance"]["options"]["conditioning"]["trim"], 30)

    def test_aliases_that_multiply(self):
        """A billion values by name, all of them one value in memory."""
        lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
        lines += [f"a{k + 1}: &a{k + 1} [{', '.join([f'*a{k}'] * 10)}]" for k in range(9)]
        self.refused("\n".join(lines) + "\n", "unknown section 'a0'", ":1")

    def test_value_for_another_robot(self):
        self.refused("conditioning: {dead_band: [1, 2]}\n", "conditioning.dead_band: has 2 values for 7 coordinates", ":1")

    def test_cut_off_beyond_the_rate(self):
        self.refused("conditioning: {lowpass_hz: 1000}\n", "125 Hz, half the sample rate", ":1", "lower cutoff")

    def test_rotors_file_missing(self):
        path = self.write("bad.yaml", "robot: {rotors: nowhere.yaml}\n")
        self.assert_refused(self.command(path), self.scratch / "nowhere.yaml", "cannot be opened")


class BadColumns(YamlTestCase):
    """The columns and known torques of the configuration."""

    def refused_term(self, content, where, says, remedy=""):
        """Rejected once robot and log are known: the place is the column, not a line."""
        path = self.write("bad.yaml", content)
        self.assert_refused(self.command(path), where, says, remedy)

    def test_not_a_list(self):
        self.refused("columns: 3\n", "columns must be a list", ":1")

    def test_unknown_kind(self):
        self.refused("columns:\n  - offset\n  - viscos\n", "unknown column kind 'viscos'", ":3",
                     "did you mean 'viscous'?")

    def test_unknown_option_of_a_column(self):
        self.refused("columns:\n  - coulomb: {tanh_widht: 1}\n", "unknown option 'tanh_widht'", ":2",
                     "did you mean 'tanh_width'?")

    def test_option_without_name(self):
        self.refused("columns:\n  - coulomb: 0.05\n", "the options of a column must have names", ":2", "tanh_width")

    def test_unknown_joint(self):
        self.refused_term("columns:\n  - viscous: {joints: [joint_8]}\n", "columns: viscous",
                          "the robot has no joint 'joint_8'", "did you mean 'joint_")

    def test_column_twice(self):
        self.refused_term("columns: [viscous, viscous]\n", "columns: viscous joint_1", "is given twice")

    def test_expression_without_rows(self):
        self.refused("columns:\n  - expression: {name: w}\n", "an expression column needs rows", ":2")

    def test_expression_without_name(self):
        self.refused("columns:\n  - expression: {rows: {joint_5: qd6}}\n", "needs a name", ":2")

    def test_expression_of_unknown_variable(self):
        self.refused_term("columns:\n  - expression: {name: w, rows: {joint_5: qq6}}\n", "columns: w",
                          "unknown name 'qq6'", "did you mean 'q6'?")

    def test_expression_at_unknown_joint(self):
        self.refused_term("columns:\n  - expression: {name: w, rows: {joint_9: qd6}}\n", "columns: w",
                          "the robot has no joint 'joint_9'")

    def test_expression_with_wrong_syntax(self):
        self.refused_term("columns:\n  - expression: {name: w, rows: {joint_5: 'qd6*'}}\n", "columns: w",
                          "'qd6*' is not a valid expression")

    def test_expression_outside_its_domain(self):
        self.refused_term("columns:\n  - expression: {name: w, rows: {joint_5: 'sqrt(-1-q1*q1)'}}\n", "columns: w",
                          "is not finite at t = ")

    def test_known_torque_of_unknown_joint(self):
        self.refused_term("known_torque: {joint_9: q1}\n", "known_torque", "the robot has no joint 'joint_9'")

    def test_known_torque_of_unknown_variable(self):
        self.refused_term("known_torque: {joint_1: q99}\n", "known_torque of joint_1", "unknown name 'q99'")

    def test_known_torque_as_list(self):
        self.refused("known_torque: [1]\n", "known_torque must map joints to expressions", ":1")

    def test_known_torque_as_structure(self):
        self.refused("known_torque:\n  joint_1: [q1]\n", "must be text", ":2")


class Sensors(YamlTestCase):
    """A force-torque sensor, by name: rejected where it is invalid."""

    def refused_sensor(self, sensor, says, remedy=""):
        self.refused(f"sensors:\n  ft: {sensor}\n", says, ":2", remedy)

    def test_list(self):
        self.refused("sensors: [ft]\n", "sensors must map names to options", ":1", "wrist: {link: tool0")

    def test_word(self):
        self.refused_sensor("flange", "a sensor must be a mapping of options")

    def test_without_link(self):
        self.refused_sensor("{sign: -1}", "sensor 'ft' has no link")

    def test_misspelt(self):
        self.refused_sensor("{link: flange, frce_scale: 2}", "unknown option 'frce_scale'",
                            "did you mean 'force_scale'?")

    def test_numbers(self):
        self.refused_sensor("{link: flange, pose: [0, 0, 1]}", "pose must be 6 numbers")
        self.refused_sensor("{link: flange, offset: [0, 0, 1, .nan, 0, 0]}", "offset[3]: cannot read")
        self.refused_sensor("{link: flange, sign: 2}", "sign must be 1 or -1, not '2'")
        self.refused_sensor("{link: flange, torque_scale: 0}", "torque_scale must not be zero")

    def test_twice(self):
        self.refused("sensors:\n  ft: {link: flange}\n  ft: {link: flange}\n", "given twice", ":3")

    def test_no_such_link(self):
        path = self.write("bad.yaml", "sensors: {ft: {link: flagne}}\n")
        self.assert_refused(self.command(path), ARM, "unknown link 'flagne'", "did you mean 'flange'?")

    def test_columns_that_are_not_there(self):
        path = self.write("bad.yaml", "sensors: {ft: {link: flange}}\n")
        self.assert_refused(self.command(path), f"{demo_log('train.csv')}:1", "no column 'tau_ft_fx'")


class Priors(YamlTestCase):
    """Statements about single bodies, by name: rejected where they are invalid, applied otherwise."""

    SOUND = "{mass: 0.9, com: [0, 0, 0.03], inertia: [0.0012, 0, 0.0012, 0, 0, 0.0009]}"

    def refused_prior(self, prior, says, remedy=""):
        self.refused(f"priors:\n  flange: {prior}\n", says, ":2", remedy)

    def test_list(self):
        self.refused("priors: [flange]\n", "priors must map bodies", ":1", "tool: {mass")

    def test_word(self):
        self.refused_prior("unkown", "a mapping or the word unknown", "tool: unknown")

    def test_misspelt(self):
        self.refused_prior("{mass: 1, inertias: [1, 0, 1, 0, 0, 1]}", "unknown option 'inertias'",
                           "did you mean 'inertia'?")

    def test_without_inertia(self):
        self.refused_prior("{mass: 1}", "needs mass and inertia, or parameters")

    def test_empty(self):
        self.refused_prior("{}", "needs mass and inertia, or parameters")

    def test_negative_mass(self):
        self.refused_prior("{mass: -1, inertia: [1, 0, 1, 0, 0, 1]}", "mass must be positive, not '-1'")

    def test_nan(self):
        self.refused_prior("{mass: .nan, inertia: [1, 0, 1, 0, 0, 1]}", "mass: cannot read '.nan'", "finite number")

    def test_too_few_numbers(self):
        self.refused_prior("{mass: 1, inertia: [1, 1, 1]}", "inertia must be 6 numbers")
        self.refused_prior("{parameters: [1, 2]}", "parameters must be 10 numbers")

    def test_both_forms(self):
        ten = "[1, 0, 0, 0, 1, 0, 1, 0, 0, 1]"
        for other in ("mass: 1", "com: [0, 0, 0]", "inertia: [1, 0, 1, 0, 0, 1]"):
            self.refused_prior(f"{{parameters: {ten}, {other}}}", "the ten parameters and other keys")

    def test_twice(self):
        self.refused(f"priors:\n  flange: {self.SOUND}\n  flange: unknown\n", "given twice", ":3")

    def refused_body(self, content, where, says):
        path = self.write("bad.yaml", content)
        self.assert_refused(self.command(path), where, says)

    def test_no_such_body(self):
        for prior in (self.SOUND, "unknown"):
            self.refused_body(f"priors: {{flagne: {prior}}}\n", "prior of flagne", "unknown body")

    def test_impossible_body(self):
        self.refused_body("priors: {flange: {mass: 1, inertia: [1, 0, 1, 0, 0, 9]}}\n", "prior of flange",
                          "not a physically consistent inertia")

    def test_unknown_under_the_entropic_prior(self):
        self.refused_body("priors: {flange: unknown}\nestimation: {prior: entropic}\n", "prior of flange",
                          "one weight for all bodies")

    def test_heard_and_kept_with_the_moments(self):
        path = self.write("sound.yaml", f"priors:\n  flange: {self.SOUND}\n  forearm: unknown\n")
        moments = self.scratch / "sums.heft"
        result = self.identify("--config", path, "--moments", moments)
        named = next(body for body in result["bodies"] if body["name"] == "flange")
        self.assertEqual(named["prior"]["m"], 0.9)
        self.assertAlmostEqual(named["prior"]["mcz"], 0.027, 15)
        self.assertAlmostEqual(named["prior"]["Ixx"], 0.0012 + 0.9 * 0.03 ** 2, 15)
        options = result["provenance"]["options"]
        self.assertEqual(options["priors"]["forearm"], "unknown")
        self.assertNotIn("priors", self.identify(out="plain")["provenance"]["options"])
        # again from the moments, and from the options that the result says
        self.assertEqual(run_heft("solve", moments, "--out", self.scratch / "solved").returncode, 0)
        solved = json.loads((self.scratch / "solved" / "result.json").read_text())
        self.assertEqual(solved["bodies"], result["bodies"])
        echo = self.write("echo.yaml", json.dumps(options))
        self.assertEqual(self.identify("--config", echo, out="echoed")["bodies"], result["bodies"])


class BadFlags(HeftTestCase):
    def refused(self, flag, value, says, remedy="", where=None):
        self.assert_refused(["identify", "--robot", ARM, "--log", demo_log("train.csv"), "--out",
                             self.scratch / "out", flag, value], where or flag, says, remedy)

    def test_text_for_a_number(self):
        self.refused("--conditioning.lowpass_hz", "abc", "cannot read 'abc'", "finite number")

    def test_nan(self):
        self.refused("--conditioning.lowpass_hz", "nan", "cannot read 'nan'", "finite number")

    def test_infinite(self):
        self.refused("--conditioning.lowpass_hz", "1e999", "cannot read '1e999'", "finite number")

    def test_negative(self):
        self.refused("--conditioning.lowpass_hz", "-1", "must be positive, not '-1'", "cutoff")

    def test_empty(self):
        self.refused("--conditioning.lowpass_hz", "", "cannot read", "finite number")

    def test_structure(self):
        self.refused("--conditioning.lowpass_hz", "[1,2", "cannot read '[1,2'")

    def test_fraction_for_a_count(self):
        self.refused("--threads", "1.5", "cannot read '1.5'", "whole number", where="--backend.threads")

    def test_count_beyond_int(self):
        self.refused("--conditioning.trim", "99999999999", "cannot read '99999999999'", "whole number")

    def test_vector_too_short(self):
        self.refused("--robot.gravity", "[0, 0]", "cannot read", "three numbers")

    def test_unknown_choice(self):
        self.refused("--solver", "magic", "--estimation.solver: unknown choice 'magic'", "interior_point", where="--estimation.solver")

    def test_zero_prior_weight(self):
        self.refused("--prior-weight", "0", "must be positive", where="--estimation.prior_weight")

    def test_rank_cut_nan(self):
        self.refused("--estimation.rank_cut", "nan", "cannot read 'nan'")

    def test_truth_missing(self):
        path = self.scratch / "nowhere.json"
        self.refused("--truth", path, "cannot be opened", where=path)

    def test_truth_of_another_form(self):
        for text in ("[]", "{}", "3", '{"parameters": 3}', '{"parameters": {"shoulder.m": 4}}',
                     '{"parameters": {"shoulder.m": {"value": "heavy"}}}'):
            path = self.write("truth.json", text)
            self.refused("--truth", path, "", where=path)

    def test_backend_that_is_not_there(self):
        if "backend cuda: not compiled" not in run_heft("info").stdout:
            self.skipTest("this build has CUDA")
        self.refused("--backend", "cuda", "not compiled into this build", where="backend cuda")

    def test_unknown_flag(self):
        self.assert_wrong_command_line(["identify", "--robot", ARM, "--log", demo_log("train.csv"),
                                        "--conditioning.lowpas_hz", "3"],
                                       "--conditioning.lowpas_hz")

    def test_unknown_command(self):
        self.assert_wrong_command_line(["identfy"], "identfy")

    def test_robot_not_named(self):
        self.assert_wrong_command_line(["identify", "--log", demo_log("train.csv")], "--robot is required")


class Help(HeftTestCase):
    def test_every_command_has_help_with_an_example(self):
        for command in ("identify", "predict", "simulate"):
            done = run_heft(command, "--help")
            self.assertEqual(done.returncode, 0)
            self.assertIn(f"heft {command} --", done.stdout)

    def test_help_lists_every_option_of_the_echo_with_its_default(self):
        done = run_heft("identify", "--help")
        options = self.identify()["provenance"]["options"]
        for section in ("robot", "log", "conditioning", "estimation", "backend"):
            for name in options[section]:
                self.assertIn(f"--{section}.{name}", done.stdout)

    def test_info_names_version_and_backends(self):
        done = run_heft("info")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stdout, r"^heft \d+\.\d+\.\d+\nbackend cpu")
        self.assertEqual(done.stdout.split("\n")[0], run_heft("--version").stdout.strip())
